import { Injectable } from '@nestjs/common';
import { type DocumentTx, DocumentStore } from '@twinyard/documents';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { ITEM_CLASSES, type NamedItem } from '../nameditems/named-item';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { MembersRepository } from '../relatedcollections/members.repository';
import { Storage } from '../storage/storage';
import { VersionsRepository } from '../versions/versions.repository';
import { PurgedItemsRepository } from './purged-items.repository';

/** Versions whose records one transaction removes. */
const VERSIONS = 100;

/** Items with all that hangs on them. Half of an item may be gone for a while: nobody sees it any more. */
@Injectable()
export class ItemsPurge extends NamespacePurge {
  override readonly what = 'items';

  constructor(
    private readonly purged: PurgedItemsRepository,
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly members: MembersRepository,
    private readonly store: DocumentStore,
    private readonly storage: Storage,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    const item = await this.purged.findIn(namespace);
    if (item === undefined) return { removed: 0 };
    const isShared = item._namespaces.some((name) => name !== namespace);
    return { removed: isShared ? await this.leave(item._id, namespace) : await this.remove(item, namespace, limit) };
  }

  /** An item that lies in other namespaces too stays there as it is. */
  private leave(id: string, namespace: string): Promise<number> {
    return this.store.transaction(async (tx) => {
      const item = await this.lock(tx, id, namespace);
      if (item === undefined) return 1;
      const left = { ...item, _namespaces: item._namespaces.filter((name) => name !== namespace) };
      const versions = await this.versions.all(tx, id);
      await this.items.replace(tx, left, versions);
      await this.versions.replaceMany(tx, left, versions);
      await this.versions.noteMove(tx, left, versions.map(({ _id }) => _id));
      await this.members.follow(tx, left);
      return 1;
    });
  }

  /** What there may be many of goes first, some at a time, then versions, then the item itself. */
  private async remove(item: NamedItem, namespace: string, limit: number): Promise<number> {
    for (const { _id: versionId } of await this.versions.ofItem(item._id)) {
      const removed = await this.removeContents(item, versionId, limit);
      if (removed > 0) return removed;
    }
    return this.removeItem(item, namespace);
  }

  private async removeContents({ _id: itemId, _itemClass }: NamedItem, versionId: string, limit: number): Promise<number> {
    const readings = _itemClass === 'NamedTelemetryCollection' ? await this.purged.removeReadings(itemId, versionId, limit) : 0;
    if (readings > 0) return readings;
    const relations = await this.purged.removeRelations(versionId, limit);
    if (relations > 0) return relations;
    const logs = await this.purged.removeUpdateLogs(itemId, versionId, limit);
    return logs > 0 ? logs : this.purged.removeMembers(versionId, limit);
  }

  /** Related items go with their whole collection, which is dropped afterwards. */
  private async removeItem({ _id: id, _itemClass }: NamedItem, namespace: string): Promise<number> {
    const { holdsItems } = ITEM_CLASSES[_itemClass];
    const removed = await this.store.transaction(async (tx) => {
      const current = await this.lock(tx, id, namespace);
      if (current === undefined) return 1;
      const all = (await this.versions.all(tx, id)).map(({ _id }) => _id);
      const ids = all.slice(0, VERSIONS);
      await this.versions.lock(tx, ids);
      await this.versions.removeMany(tx, ids);
      if (ids.length < all.length) return ids.length;
      await this.versions.removeLock(tx, id);
      await this.items.remove(tx, id);
      if (holdsItems) await this.storage.markDropped(tx, id);
      return ids.length + 1;
    });
    if (holdsItems) await this.storage.sweep();
    return removed;
  }

  /** As the writers before have left it; `undefined` when it is gone, or has left the namespace. */
  private async lock(tx: DocumentTx, id: string, namespace: string): Promise<NamedItem | undefined> {
    await this.versions.lock(tx, [id]);
    const item = await this.items.current(tx, id);
    return item?._namespaces.includes(namespace) ? item : undefined;
  }
}
