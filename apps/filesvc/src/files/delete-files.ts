import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { BlobSweeper } from '../uploads/blob-sweeper';
import { DeletedRecords } from './deleted-records';
import type { FileEntity } from './file.entity';
import { FileTreeRepository } from './file-tree.repository';
import { FilesRepository } from './files.repository';

const BATCH = 500;

/** Deletes files, and folders with everything in them, in one transaction; the blobs go afterwards. */
@Injectable()
export class DeleteFiles {
  constructor(
    private readonly files: FilesRepository,
    private readonly tree: FileTreeRepository,
    private readonly records: DeletedRecords,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly sweeper: BlobSweeper,
  ) {}

  /** `check` sees each record as it is when nobody can change it any more. */
  async run(ctx: RequestContext, files: readonly FileEntity[], check: (file: FileEntity) => void = () => undefined): Promise<void> {
    await this.unitOfWork.run(async (tx) => {
      const namespaces = files.flatMap((file) => file.namespaces);
      await this.files.lockTrees(tx, namespaces, files.some(({ type }) => type === 'dir') ? 'alone' : 'shared');
      for (const { id } of files) {
        const current = await this.files.lock(tx, id);
        if (current !== undefined) check(current);
      }
      await this.removeAll(tx, ctx, files.map(({ id }) => id));
    });
    this.sweeper.nudge();
  }

  async removeAll(tx: TypeOrmTx, ctx: RequestContext, ids: readonly string[]): Promise<void> {
    const all = await this.tree.readSubtrees(tx, ids);
    for (let at = 0; at < all.length; at += BATCH) await this.records.release(tx, ctx, all.slice(at, at + BATCH));
    await this.files.remove(tx, all);
  }
}
