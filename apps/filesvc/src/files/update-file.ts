import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalidField, notFound } from '@twinyard/conventions';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { requireMatch } from './etag';
import type { FileEntity } from './file.entity';
import type { FileChanges } from './file-draft.dto';
import { FilesRepository } from './files.repository';
import { FilesService } from './files.service';
import { nameTaken, type Place, Placement, requireWithinFilter } from './placement';
import { UpdatedRecords } from './updated-records';

/** Renames, tags, moves, and changes namespaces. */
@Injectable()
export class UpdateFile {
  constructor(
    private readonly service: FilesService,
    private readonly files: FilesRepository,
    private readonly placement: Placement,
    private readonly records: UpdatedRecords,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  async run(ctx: RequestContext, id: string, changes: FileChanges, ifMatch: string | undefined): Promise<FileEntity> {
    const seen = await this.service.get(ctx, id);
    await this.service.require(ctx, 'EDIT', seen);
    const now = new Date();
    return this.unitOfWork.run(async (tx) => {
      const namespaces = [...seen.namespaces, ...(changes.namespaces ?? [])];
      await this.files.lockTrees(tx, namespaces, isStructural(seen, changes) ? 'alone' : 'shared');
      const file = await this.files.lock(tx, id);
      if (file === undefined) throw notFound('file', id);
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
    const occupant = await this.placement.occupant(tx, place, changes.name);
    if (occupant !== undefined && occupant.id !== file.id) throw nameTaken(changes.name);
    return place;
  }
}

const added = (file: FileEntity, namespaces: readonly string[]) => namespaces.filter((name) => !file.namespaces.includes(name));

/** Whether it will lie elsewhere. Clients send whole records back, so what is the same is no change. */
function isStructural(file: FileEntity, { parentId, namespaces }: FileChanges): boolean {
  if (parentId !== undefined && parentId !== file.parentId) return true;
  return namespaces !== undefined && [...namespaces].sort().join() !== [...file.namespaces].sort().join();
}
