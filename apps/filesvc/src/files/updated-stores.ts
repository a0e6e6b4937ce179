import { Injectable } from '@nestjs/common';
import { PreviewsRepository } from '../previews/previews.repository';
import { VersionsRepository } from '../versions/versions.repository';
import { FileNamesRepository } from './file-names.repository';
import { FileTreeRepository } from './file-tree.repository';
import { FilesRepository } from './files.repository';

/** The tables that a change touches. */
@Injectable()
export class UpdatedStores {
  constructor(
    readonly files: FilesRepository,
    readonly names: FileNamesRepository,
    readonly tree: FileTreeRepository,
    readonly versions: VersionsRepository,
    readonly previews: PreviewsRepository,
  ) {}
}
