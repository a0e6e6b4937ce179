import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { invalidField, notFound } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { NamespaceQuota } from '../quota/namespace-quota';
import { requireMatch } from './etag';
import type { FileEntity } from './file.entity';
import type { FileChanges } from './file-draft.dto';
import { FilesService } from './files.service';
import { LockedFiles } from './locked-files';
import { LockedTrees, type TreeHold } from './locked-trees';
import { nameTaken, type Place, Placement, requireWithinFilter } from './placement';
import { UpdatedRecords } from './updated-records';

interface WantedUpdate {
  readonly changes: FileChanges;
  readonly ifMatch: string | undefined;
}

/** Renames, tags, moves, and changes namespaces. */
@Injectable()
export class UpdateFile {
  constructor(
    private readonly service: FilesService,
    private readonly trees: LockedTrees,
    private readonly lockedFiles: LockedFiles,
    private readonly placement: Placement,
    private readonly records: UpdatedRecords,
    private readonly quota: NamespaceQuota,
  ) {}

  async run(ctx: RequestContext, id: string, { changes, ifMatch }: WantedUpdate, keep?: KeepAnswer<FileEntity>): Promise<FileEntity> {
    const seen = await this.service.get(ctx, id);
    const now = new Date();
    return this.trees.run(holdOf(seen, destinationOf(ctx, seen, changes)), async (tx, hold) => {
      const [file] = await this.lockedFiles.take(tx, ctx, 'EDIT', [seen.id]);
      if (file === undefined) throw notFound('file', id);
      const destination = destinationOf(ctx, file, changes);
      hold(holdOf(file, destination));
      requireMatch(file, ifMatch);
      const place = await this.openPlace(tx, ctx, file, destination);
      const holders = await this.placement.holders(tx, place, changes.name);
      if (holders.some((holder) => holder !== file.id)) throw nameTaken(changes.name);
      const gained = without(place.namespaces, file.namespaces);
      await this.records.apply(tx, ctx, { file, place, changes, now });
      await this.quota.requireMoved(tx, file.id, gained);
      await keep?.(tx, file);
      return file;
    });
  }

  /** Where it will be; the right to put it there, and to take it away, is asked only when that is somewhere else. */
  private async openPlace(tx: TypeOrmTx, ctx: RequestContext, file: FileEntity, destination: Destination): Promise<Place> {
    const place = await this.placement.open(tx, destination);
    if (place.ancestorIds.includes(file.id)) throw invalidField('_parents', 'names a folder that lies in this one');
    if (!isElsewhere(file, destination)) return { ...place, namespaces: file.namespaces };
    const [gained, lost] = [without(place.namespaces, file.namespaces), without(file.namespaces, place.namespaces)];
    requireWithinFilter(ctx, gained);
    this.placement.requireCreate(ctx, place.parentId === file.parentId ? { ...place, namespaces: gained } : place);
    await this.lockedFiles.requireInAll(tx, ctx, 'EDIT', { ...file, namespaces: lost });
    if (place.parentId !== file.parentId) await this.placement.requireLevels(tx, file.id, place);
    return place;
  }
}

interface Destination {
  readonly parentId: string | null;
  readonly namespaces: readonly string[];
}

/** What lies outside of nsfilter is not the request's business and stays. */
function destinationOf(ctx: RequestContext, file: FileEntity, { parentId = file.parentId, namespaces = file.namespaces }: FileChanges): Destination {
  return { parentId, namespaces: [...new Set([...namespaces, ...without(file.namespaces, ctx.namespaces)])] };
}

const without = (names: readonly string[], others: readonly string[]) => names.filter((name) => !others.includes(name));

/** Clients send whole records back, so what is the same is no change. */
const isElsewhere = (file: FileEntity, { parentId, namespaces }: Destination) =>
  parentId !== file.parentId || [...namespaces].sort().join() !== [...file.namespaces].sort().join();

/** Nothing else is moved, or made there, while something is moved. */
const holdOf = (file: FileEntity, destination: Destination): TreeHold => ({
  namespaces: [...file.namespaces, ...destination.namespaces],
  mode: isElsewhere(file, destination) ? 'alone' : 'shared',
});
