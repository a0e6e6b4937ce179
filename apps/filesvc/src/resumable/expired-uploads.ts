import { Injectable } from '@nestjs/common';
import { ObjectStore } from '@twinyard/blobs';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { FileEntity } from '../files/file.entity';
import { FilesRepository } from '../files/files.repository';
import type { ResumableUploadEntity } from './resumable-upload.entity';
import { ResumableUploadsRepository } from './resumable-uploads.repository';

const BATCH = 100;

/** Removes uploads that have expired or were given up, with their bytes; and files that waited for nothing else. */
@Injectable()
export class ExpiredUploads {
  constructor(
    private readonly store: ObjectStore,
    private readonly uploads: ResumableUploadsRepository,
    private readonly files: FilesRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  /** Those that have expired at `now`; their number. */
  async sweep(now: Date): Promise<number> {
    let removed = 0;
    for (let batch = BATCH; batch === BATCH; removed += batch) batch = await this.unitOfWork.run((tx) => this.sweepBatch(tx, now));
    return removed;
  }

  /** A file that never had a content goes with the last upload that it waited for. One that has a version is answered. */
  async removeWaiting(tx: TypeOrmTx, fileId: string): Promise<FileEntity | undefined> {
    const seen = await this.files.read(tx, fileId);
    // Not while a folder above it is being moved: the place that this would have in the tree is gone by then.
    if (seen !== undefined) await this.files.lockTrees(tx, seen.namespaces, 'shared');
    const file = await this.files.lock(tx, fileId);
    if (file === undefined || file.type === 'dir') return undefined;
    if (file.tipId !== null) return file;
    if ((await this.uploads.ofFile(fileId, tx.manager)).length === 0) await this.files.remove(tx, [fileId]);
    return undefined;
  }

  private async sweepBatch(tx: TypeOrmTx, now: Date): Promise<number> {
    const expired = await this.uploads.claimExpired(tx, now, BATCH);
    for (const upload of expired) await this.remove(tx, upload);
    return expired.length;
  }

  private async remove(tx: TypeOrmTx, { id, fileId, blobKey: key, size, received }: ResumableUploadEntity): Promise<void> {
    await this.store.abandon({ key, size }, received);
    await this.uploads.remove(tx, id);
    await this.removeWaiting(tx, fileId);
  }
}
