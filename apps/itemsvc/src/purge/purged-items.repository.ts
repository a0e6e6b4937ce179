import { Injectable } from '@nestjs/common';
import { type CollectionRef, type DocumentTx, DocumentStore, type JsonObject } from '@twinyard/documents';
import type { NamedItem } from '../nameditems/named-item';
import { ITEMS, MEMBERS, RELATIONS, relatedItemsOf, UPDATE_LOGS } from '../storage/collections';
import { own } from '../storage/filters';

/** The last instant that both stores know how to write. What is later yet goes with its collection. */
const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z');

/** What a purge looks for, in nobody's name, and takes away in parts that a short transaction can hold. */
@Injectable()
export class PurgedItemsRepository {
  constructor(private readonly store: DocumentStore) {}

  /** Some item of the namespace, whoever else has it. */
  async findIn(namespace: string): Promise<NamedItem | undefined> {
    const [item] = await this.store.find(ITEMS, { filter: own({ _namespaces: namespace }), limit: 1 });
    return item as NamedItem | undefined;
  }

  /** Relations from and to a collection version, other namespaces' ones too: they would lead nowhere. */
  removeRelations(versionId: string, limit: number): Promise<number> {
    return this.removeSome(RELATIONS, ['fromVersion', 'toVersion'], versionId, limit);
  }

  /** What a composite's version holds, and where a version is held. */
  removeMembers(versionId: string, limit: number): Promise<number> {
    return this.removeSome(MEMBERS, ['compositeVersion', '_userItemVersionId'], versionId, limit);
  }

  /** What was changed of an item, and of the related items in one of its versions. */
  async removeUpdateLogs(itemId: string, versionId: string, limit: number): Promise<number> {
    const ofRelatedItems = await this.removeSome(UPDATE_LOGS, ['version'], versionId, limit);
    return ofRelatedItems > 0 ? ofRelatedItems : this.removeSome(UPDATE_LOGS, ['of'], itemId, limit);
  }

  async removeReadings(itemId: string, versionId: string, limit: number): Promise<number> {
    const target = relatedItemsOf(itemId, versionId);
    const { count } = await this.store.transaction((tx: DocumentTx) => this.store.readings.deleteOlderThan(tx, target, END_OF_TIME, limit));
    return count;
  }

  /** A field after the other, since each has an index. */
  private async removeSome(collection: CollectionRef, fields: readonly string[], value: string, limit: number): Promise<number> {
    for (const field of fields) {
      const filter: JsonObject = { [field]: value };
      const found = await this.store.find(collection, { filter: own(filter), projection: { _id: 1 }, limit });
      const ids = found.map(({ _id }) => _id);
      if (ids.length === 0) continue;
      await this.store.transaction((tx: DocumentTx) => this.store.deleteMany(tx, collection, own({ _id: { $in: ids } })));
      return ids.length;
    }
    return 0;
  }
}
