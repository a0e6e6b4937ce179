import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { notFound } from '@twinyard/conventions';
import { type NewEvent, Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { changedBy } from '../files/authorship';
import { DeleteFiles } from '../files/delete-files';
import type { FileEntity } from '../files/file.entity';
import { statusOfTip } from '../files/file-status';
import { FilesEvents } from '../files/files.events';
import { FilesRepository } from '../files/files.repository';
import { LooseBlobsRepository } from '../uploads/loose-blobs.repository';
import type { FileVersionEntity } from './file-version.entity';
import { VersionsRepository } from './versions.repository';

/** Deleting the tip makes the next latest the tip; deleting the only version deletes the file (contract 3). */
@Injectable()
export class VersionRemoval {
  constructor(
    private readonly files: FilesRepository,
    private readonly versions: VersionsRepository,
    private readonly looseBlobs: LooseBlobsRepository,
    private readonly deleteFiles: DeleteFiles,
    private readonly events: FilesEvents,
    private readonly outbox: Outbox,
  ) {}

  /** Of a file that is locked. */
  async run(tx: TypeOrmTx, ctx: RequestContext, file: FileEntity, versionId: string): Promise<void> {
    const all = await this.versions.readOfFiles(tx, [file.id]);
    const version = all.find(({ id }) => id === versionId);
    if (version === undefined) throw notFound('version', versionId);
    if (all.length === 1) return this.deleteFiles.removeAll(tx, ctx, [file.id]);
    const changes = file.tipId === versionId ? await this.changeTip(tx, ctx, file, all.filter(({ id }) => id !== versionId).at(-1)) : [];
    await this.looseBlobs.releaseOfVersion(tx, versionId);
    await this.versions.remove(tx, versionId);
    await this.outbox.append(tx, this.events.version('deleted', ctx, file, version), ...changes);
  }

  private async changeTip(tx: TypeOrmTx, ctx: RequestContext, file: FileEntity, tip: FileVersionEntity | undefined): Promise<NewEvent[]> {
    Object.assign(file, { tipId: tip?.id ?? null, tip: tip ?? null }, tip && { status: statusOfTip(tip) }, changedBy(ctx, new Date()));
    await this.files.update(tx, file);
    return [this.events.file('updated', ctx, file)];
  }
}
