import { Injectable } from '@nestjs/common';
import { NO_CONTENT, type RequestContext } from '@twinyard/auth';
import { Storage } from '../storage/storage';
import { VersionContents } from '../versions/version-contents';
import { VersionsRepository } from '../versions/versions.repository';
import { ItemAccess } from './item-access';
import { ItemWrites } from './item-writes';
import { ITEM_CLASSES } from './named-item';
import { itemDeleted, versionDeleted } from './named-items.events';
import { NamedItemsRepository } from './named-items.repository';

/** What a delete of a user collection or configuration answers (contract 2.1). */
export interface DeletedItem {
  readonly _updatedBy: string;
  readonly _updatedAt: number;
}

/** Deletes a named item with its versions, related items, readings, and the relations and memberships that lead there. */
@Injectable()
export class DeleteItem {
  constructor(
    private readonly storage: Storage,
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly contents: VersionContents,
    private readonly access: ItemAccess,
    private readonly writes: ItemWrites,
  ) {}

  /** `undefined` for the classes whose delete answers nothing. */
  async run(ctx: RequestContext, key: string): Promise<DeletedItem[] | undefined> {
    const item = await this.access.item(ctx, key, 'DELETE');
    const { holdsItems, deleteAnswers } = ITEM_CLASSES[item._itemClass];
    const at = Date.now();
    const origin = ctx.origin;
    const deleted = deleteAnswers ? [{ _updatedBy: ctx.callerId, _updatedAt: at }] : undefined;
    await this.writes.run(ctx, item, async (tx, { versions }) => {
      const ids = versions.map(({ _id }) => _id);
      // Writers of related items hold the lock of their version: they are through, or they find it gone.
      await this.versions.lock(tx, ids);
      await this.contents.removeVersions(tx, ids);
      await this.versions.removeLock(tx, item._id);
      await this.items.remove(tx, item._id);
      if (holdsItems) await this.storage.markDropped(tx, item._id);
      return { answer: undefined, events: [...versions.map((version) => versionDeleted(item, version, origin)), itemDeleted(item, origin)] };
    }, () => (deleted === undefined ? NO_CONTENT : { status: 200, body: deleted }));
    if (holdsItems) void this.storage.sweep();
    return deleted;
  }
}
