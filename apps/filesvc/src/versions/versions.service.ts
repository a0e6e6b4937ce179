import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { notFound, type Paging, type Slice } from '@twinyard/conventions';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { FileEntity } from '../files/file.entity';
import { FilesService } from '../files/files.service';
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
    private readonly unitOfWork: TypeOrmUnitOfWork,
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
    const { file } = await this.get(ctx, fileId, versionId);
    await this.files.require(ctx, 'DELETE', file);
    await this.unitOfWork.run((tx) => this.removal.run(tx, ctx, fileId, versionId));
    this.sweeper.nudge();
  }
}
