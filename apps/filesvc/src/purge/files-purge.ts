import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { FilesRepository } from '../files/files.repository';
import { UsageFolding } from '../quota/usage-folding';
import { BlobSweeper } from '../uploads/blob-sweeper';
import { LooseBlobsRepository } from '../uploads/loose-blobs.repository';
import { PurgedFilesRepository } from './purged-files.repository';

/** Files, folders and versions. Their bytes are written down as loose in the same transaction, and swept as those of any deleted file. */
@Injectable()
export class FilesPurge extends NamespacePurge {
  override readonly what = 'files';

  constructor(
    private readonly purged: PurgedFilesRepository,
    private readonly files: FilesRepository,
    private readonly looseBlobs: LooseBlobsRepository,
    private readonly sweeper: BlobSweeper,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly usage: UsageFolding,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    const removed = await this.unitOfWork.run(async (tx) => {
      await this.files.lockTrees(tx, [namespace], 'alone');
      const ids = await this.purged.lockLeaves(tx, namespace, limit);
      // A folder stays in the namespace for as long as something in it is in no other: lists rely on it.
      const left = ids.length > 0 ? 0 : await this.purged.leaveNamespace(tx, namespace, limit);
      await this.looseBlobs.releaseOfFiles(tx, ids);
      await this.files.remove(tx, ids);
      await this.usage.foldOne(tx, namespace);
      return left + ids.length;
    });
    // Also when nothing was left: a process that died has written down bytes that it did not come to remove.
    this.sweeper.soon();
    return { removed };
  }
}
