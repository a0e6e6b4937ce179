import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalidField, notFound } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { requireMatch } from './etag';
import type { FileEntity } from './file.entity';
import type { FileChanges } from './file-draft.dto';
import { FilesService } from './files.service';
import { LockedFiles } from './locked-files';
import { LockedTrees, type TreeHold } from './locked-trees';
import { nameTaken, type Place, Placement, requireWithinFilter } from './placement';
import { UpdatedRecords } from './updated-records';

/** Renames, tags, moves, and changes namespaces. */
@Injectable()
export class UpdateFile {
  constructor(
    private readonly service: FilesService,
    private readonly trees: LockedTrees,
    private readonly lockedFiles: LockedFiles,
    private readonly placement: Placement,
    private readonly records: UpdatedRecords,
  ) {}

  async run(ctx: RequestContext, id: string, changes: FileChanges, ifMatch: string | undefined): Promise<FileEntity> {
    const seen = await this.service.get(ctx, id);
    const now = new Date();
    return this.trees.run(holdOf(seen, changes), async (tx, require) => {
      const [file] = await this.lockedFiles.take(tx, ctx, 'EDIT', [seen.id]);
      if (file === undefined) throw notFound('file', id);
      require(holdOf(file, changes));
      requireMatch(file, ifMatch);
      const place = await this.openPlace(tx, ctx, file, changes);
      await this.records.apply(tx, ctx, { file, place, changes, now });
      return file;
    });
  }

  /** Where it will be; the right to put it there is asked only when that is somewhere else. */
  private async openPlace(tx: TypeOrmTx, ctx: RequestContext, file: FileEntity, changes: FileChanges): Promise<Place> {
    const { parentId = file.parentId, namespaces = file.namespaces } = changes;
    const place = await this.placement.open(tx, { parentId, namespaces });
    if (place.ancestorIds.includes(file.id)) throw invalidField('_parents', 'names a folder that lies in this one');
    if (isStructural(file, changes)) {
      requireWithinFilter(ctx, added(file, namespaces));
      this.placement.requireCreate(ctx, place.parentId === file.parentId ? { ...place, namespaces: added(file, namespaces) } : place);
    }
    if (parentId !== file.parentId) await this.placement.requireLevels(tx, file.id, place);
    const holders = await this.placement.holders(tx, place, changes.name);
    if (holders.some((holder) => holder !== file.id)) throw nameTaken(changes.name);
    return place;
  }
}

const added = (file: FileEntity, namespaces: readonly string[]) => namespaces.filter((name) => !file.namespaces.includes(name));

/** Whether it will lie elsewhere. Clients send whole records back, so what is the same is no change. */
function isStructural(file: FileEntity, { parentId, namespaces }: FileChanges): boolean {
  if (parentId !== undefined && parentId !== file.parentId) return true;
  return namespaces !== undefined && [...namespaces].sort().join() !== [...file.namespaces].sort().join();
}

/** Nothing else is moved, or made there, while something is moved. */
const holdOf = (file: FileEntity, changes: FileChanges): TreeHold => ({
  namespaces: [...file.namespaces, ...(changes.namespaces ?? [])],
  mode: isStructural(file, changes) ? 'alone' : 'shared',
});
