import { Injectable } from '@nestjs/common';
import type { Slice } from '@twinyard/conventions';
import {
  type DistinctValue, type DocumentTx, DocumentStore, type JsonObject, type ParsedFilter, parseFilter, type ReplaceResult, type StoredDocument, type WriteResult,
} from '@twinyard/documents';
import type { Place } from '../nameditems/item-access';
import { relatedItemsOf } from '../storage/collections';
import { chunksOf, narrowed, own } from '../storage/filters';
import { type ListQuery, slice } from '../storage/list-query';
import type { RelatedItem } from './related-item';

const EVERYTHING = own({});
const PAGE = 5_000;
/** Values that a question for distinct ones gets at most. */
const MAX_VALUES = 10_000;

/** Which collection version: found by `ItemAccess`, in the caller's scope. */
export type Spot = { readonly itemId: string; readonly versionId: string };

export const spotOf = (place: Place): Spot => ({ itemId: place.item._id, versionId: place.versionId });
const target = ({ itemId, versionId }: Spot) => relatedItemsOf(itemId, versionId);
const asked = (filter: JsonObject | undefined): ParsedFilter => (filter === undefined ? EVERYTHING : parseFilter(filter));

@Injectable()
export class RelatedItemsRepository {
  constructor(private readonly store: DocumentStore) {}

  list(spot: Spot, { filter, ...query }: ListQuery): Promise<Slice<StoredDocument>> {
    return slice(this.store, target(spot), asked(filter), query);
  }

  /** Items in the order of their ids, those behind `after`: for whoever goes through all of them. */
  batchAfter(spot: Spot, after: string | undefined, limit: number): Promise<StoredDocument[]> {
    return this.store.find(target(spot), { ...(after !== undefined && { filter: own({ _id: { $gt: after } }) }), sort: { _id: 1 }, limit });
  }

  count(spot: Spot, filter: JsonObject): Promise<number> {
    return this.store.count(target(spot), asked(filter));
  }

  async find(spot: Spot, id: string): Promise<RelatedItem | undefined> {
    const [row] = await this.store.find(target(spot), { filter: own({ _id: id }), limit: 1 });
    return row as RelatedItem | undefined;
  }

  async findMany(tx: DocumentTx, spot: Spot, ids: readonly string[]): Promise<Map<string, RelatedItem>> {
    const found = new Map<string, RelatedItem>();
    for (const chunk of chunksOf(ids)) {
      const rows = await this.store.find(target(spot), { filter: own({ _id: { $in: chunk } }), limit: chunk.length }, tx);
      for (const row of rows) found.set(row._id, row as RelatedItem);
    }
    return found;
  }

  /** Which of the ids are there. */
  async existing(tx: DocumentTx, spot: Spot, ids: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (const chunk of chunksOf([...new Set(ids)])) {
      const rows = await this.store.find(target(spot), { filter: own({ _id: { $in: chunk } }), projection: { _id: 1 }, limit: chunk.length }, tx);
      for (const { _id } of rows) found.add(_id);
    }
    return found;
  }

  /** The sensor of each item that is there. */
  async sources(tx: DocumentTx, spot: Spot, ids: readonly string[]): Promise<Map<string, string | undefined>> {
    const found = new Map<string, string | undefined>();
    for (const chunk of chunksOf(ids)) {
      const rows = await this.store.find(target(spot), { filter: own({ _id: { $in: chunk } }), projection: { _sourceId: 1 }, limit: chunk.length }, tx);
      for (const { _id, _sourceId } of rows as RelatedItem[]) found.set(_id, _sourceId);
    }
    return found;
  }

  /** Items that stand for one of these sensors. */
  async withSources(tx: DocumentTx, spot: Spot, sourceIds: readonly string[]): Promise<RelatedItem[]> {
    const found: RelatedItem[] = [];
    for (const chunk of chunksOf(sourceIds)) {
      const rows = await this.store.find(target(spot), { filter: own({ _sourceId: { $in: chunk } }), projection: { _sourceId: 1 }, limit: chunk.length }, tx);
      found.push(...(rows as RelatedItem[]));
    }
    return found;
  }

  /** Of these items those that meet the caller's condition, in its order: one query, however many ids. */
  async among(spot: Spot, ids: readonly string[], { filter, sort, projection }: Omit<ListQuery, 'paging'>): Promise<StoredDocument[]> {
    if (ids.length === 0) return [];
    const wanted = narrowed(filter, own({ _id: { $in: ids } }));
    return this.store.find(target(spot), { filter: wanted, limit: ids.length, ...(sort && { sort }), ...(projection && { projection }) });
  }

  /** Ids of all that match, at most `limit`. */
  async idsOf(spot: Spot, filter: JsonObject | undefined, limit: number): Promise<string[]> {
    return (await this.store.find(target(spot), { filter: asked(filter), projection: { _id: 1 }, limit })).map(({ _id }) => _id);
  }

  /** The values of a field over what matches, or over these items of it. */
  distinct(spot: Spot, path: string, filter: JsonObject | undefined, ids?: readonly string[]): Promise<DistinctValue[]> {
    const wanted = ids === undefined ? asked(filter) : narrowed(filter, own({ _id: { $in: ids } }));
    return this.store.distinct(target(spot), { path, filter: wanted, limit: MAX_VALUES });
  }

  /** Ids of at most a page of what matches. */
  async matching(tx: DocumentTx, spot: Spot, filter: JsonObject): Promise<string[]> {
    const rows = await this.store.find(target(spot), { filter: asked(filter), projection: { _id: 1 }, limit: PAGE }, tx);
    return rows.map(({ _id }) => _id);
  }

  insertMany(tx: DocumentTx, spot: Spot, items: readonly RelatedItem[]): Promise<WriteResult> {
    return this.store.insertMany(tx, target(spot), items);
  }

  replaceMany(tx: DocumentTx, spot: Spot, items: readonly RelatedItem[]): Promise<ReplaceResult> {
    return this.store.replaceMany(tx, target(spot), items);
  }

  async removeMany(tx: DocumentTx, spot: Spot, ids: readonly string[]): Promise<WriteResult> {
    let [count, bytes] = [0, 0];
    for (const chunk of chunksOf(ids)) {
      const gone = await this.store.deleteMany(tx, target(spot), own({ _id: { $in: chunk } }));
      [count, bytes] = [count + gone.count, bytes + gone.bytes];
    }
    return { count, bytes };
  }

  async removeReadings(tx: DocumentTx, spot: Spot, ids: readonly string[]): Promise<WriteResult> {
    let [count, bytes] = [0, 0];
    for (const chunk of chunksOf(ids)) {
      const gone = await this.store.readings.deleteMany(tx, target(spot), own({ '_tsMetadata._telItemId': { $in: chunk } }));
      [count, bytes] = [count + gone.count, bytes + gone.bytes];
    }
    return { count, bytes };
  }

  /** A version goes, with its items and readings. */
  async removeAll(tx: DocumentTx, itemId: string, versionId: string): Promise<void> {
    const version = target({ itemId, versionId });
    await this.store.deleteMany(tx, version, EVERYTHING);
    await this.store.readings.deleteMany(tx, version, EVERYTHING);
  }
}
