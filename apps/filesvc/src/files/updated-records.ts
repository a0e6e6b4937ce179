import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { changedBy } from './authorship';
import type { FileEntity } from './file.entity';
import type { FileChanges } from './file-draft.dto';
import { FileGraphics } from './file-graphics';
import { FilesEvents, isToldOf } from './files.events';
import { nameTaken, type Place } from './placement';
import { UpdatedStores } from './updated-stores';

export interface Update {
  readonly file: FileEntity;
  readonly place: Place;
  readonly changes: FileChanges;
  readonly now: Date;
}

/** Writes a change of a file: the row, its name, its place in the tree, and the events of all that it changes. */
@Injectable()
export class UpdatedRecords {
  constructor(
    private readonly stores: UpdatedStores,
    private readonly graphics: FileGraphics,
    private readonly events: FilesEvents,
    private readonly outbox: Outbox,
  ) {}

  async apply(tx: TypeOrmTx, ctx: RequestContext, { file, place, changes, now }: Update): Promise<void> {
    const { files, names, tree } = this.stores;
    const before = { parentId: file.parentId, namespaces: file.namespaces.join(), graphics: this.graphics.includes(file.name) };
    Object.assign(file, { name: changes.name, parentId: place.parentId, namespaces: place.namespaces, tags: changes.tags ?? file.tags, userAttributes: changes.userAttributes ?? file.userAttributes }, changedBy(ctx, now));
    await names.give(tx, file.id);
    if (!(await names.take(tx, place, file.name, file.id))) throw nameTaken(file.name);
    if (before.parentId !== file.parentId) await tree.move(tx, file.id, file.parentId);
    await files.update(tx, file);
    await this.tellFiles(tx, ctx, [file]);
    const otherNamespaces = before.namespaces !== file.namespaces.join();
    if (otherNamespaces) await this.takeAlong(tx, ctx, file, now);
    if (otherNamespaces || before.graphics !== this.graphics.includes(file.name)) await this.tellVersions(tx, ctx, [file]);
  }

  /** What lies in a folder has its namespaces. */
  private async takeAlong(tx: TypeOrmTx, ctx: RequestContext, folder: FileEntity, now: Date): Promise<void> {
    const ids = (await this.stores.tree.readSubtrees(tx, [folder.id])).filter((id) => id !== folder.id);
    await this.stores.files.lockMany(tx, ids);
    const below = await this.stores.files.readMany(tx, ids);
    for (const file of below) {
      Object.assign(file, { namespaces: folder.namespaces }, changedBy(ctx, now));
      await this.stores.files.update(tx, file);
    }
    await this.tellFiles(tx, ctx, below);
    await this.tellVersions(tx, ctx, below);
  }

  private async tellFiles(tx: TypeOrmTx, ctx: RequestContext, files: readonly FileEntity[]): Promise<void> {
    await this.outbox.append(tx, ...files.filter(isToldOf).map((file) => this.events.file('updated', ctx, file)));
  }

  /** Events of versions name their file's namespaces and whether it is a graphics file; those of pictures the namespaces. */
  private async tellVersions(tx: TypeOrmTx, ctx: RequestContext, files: readonly FileEntity[]): Promise<void> {
    const versions = await this.stores.versions.readByFile(tx, files.map(({ id }) => id));
    const previews = await this.stores.previews.readOfVersions(tx, [...versions.values()].flat().map(({ id }) => id));
    const events = files.flatMap((file) => (versions.get(file.id) ?? []).flatMap((version) => {
      const preview = previews.get(version.id);
      return [this.events.version('updated', ctx, file, version), ...(preview ? [this.events.preview('updated', ctx, { file, version, preview })] : [])];
    }));
    await this.outbox.append(tx, ...events);
  }
}
