import { Injectable } from '@nestjs/common';
import { keepAnswer, NO_CONTENT, type RequestContext } from '@twinyard/auth';
import { notFound, type Paging, type Slice } from '@twinyard/conventions';
import type { FileEntity } from '../files/file.entity';
import { FilesService } from '../files/files.service';
import { LockedFiles } from '../files/locked-files';
import { LockedTrees } from '../files/locked-trees';
import { BlobSweeper } from '../uploads/blob-sweeper';
import type { FileVersionEntity } from './file-version.entity';
import { VersionRemoval } from './version-removal';
import { VersionsRepository } from './versions.repository';

/** A version is reached through its file: who may read the file may read its versions. */
@Injectable()
export class VersionsService {
  constructor(
    private readonly files: FilesService,
    private readonly versions: VersionsRepository,
    private readonly removal: VersionRemoval,
    private readonly trees: LockedTrees,
    private readonly lockedFiles: LockedFiles,
    private readonly sweeper: BlobSweeper,
  ) {}

  async list(ctx: RequestContext, fileId: string, paging: Paging): Promise<Slice<FileVersionEntity>> {
    return this.versions.list(await this.files.get(ctx, fileId), paging);
  }

  async get(ctx: RequestContext, fileId: string, versionId: string): Promise<{ readonly file: FileEntity; readonly version: FileVersionEntity }> {
    const file = await this.files.get(ctx, fileId);
    const version = await this.versions.find(file, versionId);
    if (version === undefined) throw notFound('version', versionId);
    return { file, version };
  }

  /** The latest. A folder has none. */
  async getTip(ctx: RequestContext, fileId: string): Promise<{ readonly file: FileEntity; readonly version: FileVersionEntity }> {
    const file = await this.files.get(ctx, fileId);
    if (!file.tip) throw notFound('version of', fileId);
    return { file, version: file.tip };
  }

  async remove(ctx: RequestContext, fileId: string, versionId: string): Promise<void> {
    const { file, version } = await this.get(ctx, fileId, versionId);
    // The file may go with it, which is not to happen while a folder above is being moved.
    await this.trees.run({ namespaces: file.namespaces, mode: 'shared' }, async (tx, hold) => {
      const [current] = await this.lockedFiles.take(tx, ctx, 'DELETE', [file.id]);
      if (current === undefined) throw notFound('version', versionId);
      hold({ namespaces: current.namespaces, mode: 'shared' });
      await this.removal.run(tx, ctx, current, version.id);
      await keepAnswer(ctx, tx, () => NO_CONTENT);
    });
    this.sweeper.soon();
  }
}
