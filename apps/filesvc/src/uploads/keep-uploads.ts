import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { newUuid } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { FileEntity } from '../files/file.entity';
import type { UploadDraft } from '../files/file-draft.dto';
import { NewFiles } from '../files/new-files';
import { Placement } from '../files/placement';
import { NamespaceQuota } from '../quota/namespace-quota';
import { UploadTransactions } from './upload-transactions';
import { type Kept, type ScannedFile, type Upload, type UploadPlace, UploadRecords } from './upload-records';

/** Makes files and versions of received bytes, all in one transaction with their events. */
@Injectable()
export class KeepUploads {
  constructor(
    private readonly placement: Placement,
    private readonly newFiles: NewFiles,
    private readonly records: UploadRecords,
    private readonly transactions: UploadTransactions,
    private readonly outbox: Outbox,
    private readonly quota: NamespaceQuota,
  ) {}

  async run(ctx: RequestContext, draft: UploadDraft, received: readonly ScannedFile[]): Promise<FileEntity[]> {
    const now = new Date();
    const uploads = received.map((file) => ({ ...file, fileId: newUuid(), versionId: newUuid() }));
    return this.transactions.run(ctx, async (tx) => {
      const place = await this.newFiles.openPlace(tx, draft);
      // By name, so that two requests with the same names wait for each other instead of forever.
      const sorted = [...uploads].sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
      const where = { place, draft, now };
      const kept = new Map(await this.keepNew(tx, ctx, where, sorted));
      for (const upload of sorted) if (!kept.has(upload)) kept.set(upload, await this.keep(tx, ctx, where, upload));
      await this.outbox.append(tx, ...[...kept.values()].flatMap(({ events }) => events));
      await this.quota.require(tx, [...kept].map(([{ blob }, { file }]) => ({ namespaces: file.namespaces, bytes: blob.size })));
      return uploads.map((upload) => (kept.get(upload) as Kept).file);
    });
  }

  /** What is a new file, all at once. What turns out not to be one, because its name is taken, is not among it. */
  private async keepNew(tx: TypeOrmTx, ctx: RequestContext, where: UploadPlace, uploads: readonly Upload[]): Promise<ReadonlyMap<Upload, Kept>> {
    const made = await this.records.makeFiles(tx, ctx, where, uploads.filter(({ name }, index) => uploads[index - 1]?.name !== name));
    // Only now is it known whether anything is new; a refusal undoes it.
    if (made.size > 0) this.placement.requireUpload(ctx, where.place, undefined);
    return made;
  }

  private keep(tx: TypeOrmTx, ctx: RequestContext, where: UploadPlace, upload: Upload): Promise<Kept> {
    return this.placement.claim(tx, ctx, { place: where.place, name: upload.name }, {
      goOnWith: (file) => this.records.addVersion(tx, ctx, file, where, upload),
      make: async () => (await this.records.makeFiles(tx, ctx, where, [upload])).get(upload),
    });
  }
}
