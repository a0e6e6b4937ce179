import { Injectable } from '@nestjs/common';
import { keepAnswer, NO_CONTENT, type RequestContext } from '@twinyard/auth';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { BlobSweeper } from '../uploads/blob-sweeper';
import { DeletedRecords } from './deleted-records';
import type { FileEntity } from './file.entity';
import { FileTreeRepository } from './file-tree.repository';
import { FilesRepository } from './files.repository';
import { LockedFiles } from './locked-files';
import { LockedTrees, type TreeHold } from './locked-trees';

const BATCH = 500;

/** Deletes files, and folders with everything in them, in one transaction; the blobs go afterwards. */
@Injectable()
export class DeleteFiles {
  constructor(
    private readonly files: FilesRepository,
    private readonly tree: FileTreeRepository,
    private readonly records: DeletedRecords,
    private readonly trees: LockedTrees,
    private readonly lockedFiles: LockedFiles,
    private readonly sweeper: BlobSweeper,
  ) {}

  /** For requests that are answered 204. 403 unless the caller may delete each; `check` sees each as it is when nobody can change it any more. */
  async run(ctx: RequestContext, seen: readonly FileEntity[], check: (file: FileEntity) => void = () => undefined): Promise<void> {
    await this.trees.run(holdOf(seen), async (tx, hold) => {
      const files = await this.lockedFiles.take(tx, ctx, 'DELETE', seen.map(({ id }) => id));
      hold(holdOf(files));
      files.forEach(check);
      await this.removeAll(tx, ctx, files.map(({ id }) => id));
      await keepAnswer(ctx, tx, () => NO_CONTENT);
    });
    this.sweeper.soon();
  }

  async removeAll(tx: TypeOrmTx, ctx: RequestContext, ids: readonly string[]): Promise<void> {
    const all = await this.tree.readSubtrees(tx, ids);
    for (let at = 0; at < all.length; at += BATCH) await this.records.release(tx, ctx, all.slice(at, at + BATCH));
    await this.files.remove(tx, all);
  }
}

/** Nothing is put into a folder that is being deleted. */
const holdOf = (files: readonly FileEntity[]): TreeHold => ({
  namespaces: files.flatMap(({ namespaces }) => namespaces),
  mode: files.some(({ type }) => type === 'dir') ? 'alone' : 'shared',
});
