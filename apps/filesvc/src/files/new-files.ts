import { Injectable } from '@nestjs/common';
import { forbidden } from '@twinyard/conventions';
import { PurgeStore } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { FileEntity } from './file.entity';
import { FileNamesRepository } from './file-names.repository';
import { FileTreeRepository } from './file-tree.repository';
import { FilesRepository } from './files.repository';
import { type Place, Placement } from './placement';

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
    await this.files.lockTrees(tx, draft.namespaces, 'shared');
    // The bytes of an upload may have flowed for hours since it was allowed.
    if ((await this.purges.purgedOf(tx, draft.namespaces)).length > 0) throw forbidden();
    return this.placement.open(tx, draft);
  }

  /** False when the name is taken. */
  async insert(tx: TypeOrmTx, place: Place, file: FileEntity): Promise<boolean> {
    return (await this.insertMany(tx, place, [file])).length > 0;
  }

  /** Those whose names are free, in their order. */
  async insertMany(tx: TypeOrmTx, place: Place, files: readonly FileEntity[]): Promise<readonly FileEntity[]> {
    const free = await this.names.takeMany(tx, place, files);
    const made = files.filter(({ id }) => free.has(id));
    if (made.length === 0) return made;
    await this.files.insert(tx, made);
    await this.tree.insert(tx, made.map(({ id }) => id), place.parentId);
    return made;
  }
}
