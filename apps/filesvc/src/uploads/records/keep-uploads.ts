import { Injectable } from '@nestjs/common';
import { keptWith, type RequestContext } from '@twinyard/auth';
import { newUuid } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { toFileDto } from '../../files/file.dto';
import type { FileEntity } from '../../files/file.entity';
import type { UploadDraft } from '../../files/file-draft.dto';
import { NewFiles } from '../../files/new-files';
import { type Place, Placement } from '../../files/placement';
import { UploadTransactions } from '../upload-transactions';
import { JointUploads } from './joint-uploads';
import { UploadAccounts } from './upload-accounts';
import { byName, type Kept, type ScannedFile, type Upload, type UploadOrder, UploadRecords } from './upload-records';

/** Makes files and versions of received bytes, all of a request in one transaction with their events. */
@Injectable()
export class KeepUploads {
  constructor(
    private readonly joint: JointUploads,
    private readonly placement: Placement,
    private readonly newFiles: NewFiles,
    private readonly records: UploadRecords,
    private readonly transactions: UploadTransactions,
    private readonly accounts: UploadAccounts,
  ) {}

  async run(ctx: RequestContext, draft: UploadDraft, received: readonly ScannedFile[]): Promise<FileEntity[]> {
    const by: UploadOrder = { ctx, draft, now: new Date(), finish: keptWith(ctx, (files: readonly FileEntity[]) => ({ status: 201, body: files.map(toFileDto) })) };
    const uploads = received.map((file) => ({ ...file, fileId: newUuid(), versionId: newUuid(), by }));
    const [only, ...others] = uploads;
    const made = only !== undefined && others.length === 0 && !only.wasTaken ? await this.joint.make(only) : undefined;
    return made === undefined ? this.transactions.run(ctx, (tx) => this.keepAll(tx, by, uploads)) : [made];
  }

  private async keepAll(tx: TypeOrmTx, { draft, finish }: UploadOrder, uploads: readonly Upload[]): Promise<FileEntity[]> {
    const place = await this.newFiles.openPlace(tx, draft);
    // By name, so that two requests with the same names wait for each other instead of forever.
    const sorted = [...uploads].sort(byName);
    const kept = new Map(await this.keepNew(tx, place, sorted));
    for (const upload of sorted) if (!kept.has(upload)) kept.set(upload, await this.keep(tx, place, upload));
    await this.accounts.settle(tx, kept);
    const files = uploads.map((upload) => (kept.get(upload) as Kept).file);
    await finish?.(tx, files);
    return files;
  }

  /** What is a new file, all at once. What turns out not to be one, because its name is taken, is not among it. */
  private async keepNew(tx: TypeOrmTx, place: Place, uploads: readonly Upload[]): Promise<ReadonlyMap<Upload, Kept>> {
    const made = await this.records.makeFiles(tx, place, uploads.filter(({ name }, index) => uploads[index - 1]?.name !== name));
    // Only now is it known whether anything is new; a refusal undoes it.
    for (const { by } of made.keys()) this.placement.requireUpload(by.ctx, place, undefined);
    return made;
  }

  private keep(tx: TypeOrmTx, place: Place, upload: Upload): Promise<Kept> {
    return this.placement.claim(tx, upload.by.ctx, { place, name: upload.name }, {
      goOnWith: (file) => this.records.addVersion(tx, file, upload),
      make: async () => (await this.records.makeFiles(tx, place, [upload])).get(upload),
    });
  }
}
