import { Injectable } from '@nestjs/common';
import { forbidden } from '@twinyard/conventions';
import { PurgeStore } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { FileEntity } from './file.entity';
import { FileNamesRepository } from './file-names.repository';
import { FileTreeRepository } from './file-tree.repository';
import { FilesRepository } from './files.repository';
import { type Place, Placement, requireFolder } from './placement';

/** Puts new records where they belong: the name, the row, the place in the tree. */
@Injectable()
export class NewFiles {
  constructor(
    private readonly files: FilesRepository,
    private readonly names: FileNamesRepository,
    private readonly tree: FileTreeRepository,
    private readonly placement: Placement,
    private readonly purges: PurgeStore,
  ) {}

  /** As `Placement.open`, and the place stays until the transaction ends. */
  async openPlace(tx: TypeOrmTx, draft: { readonly parentId: string | null; readonly namespaces: readonly string[] }): Promise<Place> {
    const [, purged, place] = await tx.together(
      () => this.files.lockTrees(tx, draft.namespaces, 'shared'),
      // The bytes of an upload may have flowed for hours since it was allowed.
      () => this.purges.purgedOf(tx, draft.namespaces),
      () => this.placement.find(tx, draft),
    );
    if (purged.length > 0) throw forbidden();
    return requireFolder(place);
  }

  /** False when the name is taken. */
  async insert(tx: TypeOrmTx, place: Place, file: FileEntity): Promise<boolean> {
    if (!(await this.names.take(tx, place, file.name, file.id))) return false;
    await this.files.insert(tx, file);
    await this.tree.insert(tx, file.id, place.parentId);
    return true;
  }
}
