import { Injectable } from '@nestjs/common';
import type { Slice } from '@twinyard/conventions';
import { allOf, type DocumentTx, DocumentStore, type JsonObject, type Link, type Links, parseFilter } from '@twinyard/documents';
import { RELATIONS } from '../storage/collections';
import { chunksOf, own } from '../storage/filters';
import { type ListQuery, slice } from '../storage/list-query';
import { endKey, type Relation } from './relation';

/** Which end of a relation a collection version is at. */
export type Direction = 'outgoing' | 'inverse';

const ENDS = {
  outgoing: { key: 'from', version: 'fromVersion', id: 'fromId', otherItem: 'toItem', otherVersion: 'toVersion', otherId: 'toId' },
  inverse: { key: 'to', version: 'toVersion', id: 'toId', otherItem: 'fromItem', otherVersion: 'fromVersion', otherId: 'fromId' },
} as const;

/** The end at which relations are looked for: a collection version, or these items of it. */
export interface NearEnd {
  readonly direction: Direction;
  readonly versionId: string;
  readonly ids?: readonly string[] | undefined;
}

function nearFilter({ direction, versionId, ids }: NearEnd): JsonObject {
  const { version, key } = ENDS[direction];
  return ids === undefined ? { [version]: versionId } : { [key]: { $in: ids.map((id) => endKey(versionId, id)) } };
}

/** What a caller may see of the relations of a collection version. */
export interface ReachableEnds {
  /** Collections at the other end of which all related items are in reach. */
  readonly wholeItems: readonly string[];
  /** Others, of which these are. */
  readonly parts: readonly { readonly versionId: string; readonly ids: readonly string[] }[];
  /** Of this end; absent: all. */
  readonly ownIds?: readonly string[];
}

function otherEndIn(direction: Direction, { wholeItems, parts }: ReachableEnds): JsonObject {
  const { otherItem, otherVersion, otherId } = ENDS[direction];
  const whole = { [otherItem]: { $in: wholeItems } };
  return parts.length === 0 ? whole : { $or: [whole, ...parts.map(({ versionId, ids }) => ({ [otherVersion]: versionId, [otherId]: { $in: ids } }))] };
}

/** Relations are reached through the collection at one end; `others` are the collections at the other that the caller may READ. */
@Injectable()
export class RelationsRepository {
  constructor(private readonly store: DocumentStore) {}

  /** Makes those that are not there yet; the number made. */
  async add(tx: DocumentTx, relations: readonly Relation[]): Promise<number> {
    let made = 0;
    for (const chunk of chunksOf([...new Map(relations.map((relation) => [relation._id, relation])).values()])) {
      const ids = chunk.map(({ _id }) => _id);
      const there = new Set((await this.store.find(RELATIONS, { filter: own({ _id: { $in: ids } }), projection: { _id: 1 }, limit: ids.length }, tx)).map(({ _id }) => _id));
      const fresh = chunk.filter(({ _id }) => !there.has(_id));
      if (fresh.length > 0) await this.store.insertMany(tx, RELATIONS, fresh);
      made += fresh.length;
    }
    return made;
  }

  /** Of these ids the relations that start in a version. */
  async ofVersion(tx: DocumentTx, versionId: string, ids: readonly string[]): Promise<Relation[]> {
    const found: Relation[] = [];
    for (const chunk of chunksOf(ids)) found.push(...((await this.store.find(RELATIONS, { filter: own({ _id: { $in: chunk }, fromVersion: versionId }), limit: chunk.length }, tx)) as Relation[]));
    return found;
  }

  async removeByIds(tx: DocumentTx, fromItem: string, ids: readonly string[]): Promise<number> {
    let removed = 0;
    for (const chunk of chunksOf(ids)) removed += (await this.store.deleteMany(tx, RELATIONS, own({ _id: { $in: chunk }, fromItem }))).count;
    return removed;
  }

  /** All that start at these items. */
  async removeOutgoing(tx: DocumentTx, versionId: string, ids: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(ids)) await this.store.deleteMany(tx, RELATIONS, own({ from: { $in: chunk.map((id) => endKey(versionId, id)) } }));
  }

  /** All that start or end at these items. */
  async removeOfItems(tx: DocumentTx, versionId: string, ids: readonly string[]): Promise<void> {
    await this.removeOutgoing(tx, versionId, ids);
    for (const chunk of chunksOf(ids)) await this.store.deleteMany(tx, RELATIONS, own({ to: { $in: chunk.map((id) => endKey(versionId, id)) } }));
  }

  async removeOfVersions(tx: DocumentTx, versionIds: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(versionIds)) {
      await this.store.deleteMany(tx, RELATIONS, own({ fromVersion: { $in: chunk } }));
      await this.store.deleteMany(tx, RELATIONS, own({ toVersion: { $in: chunk } }));
    }
  }

  /** Ids of the collections at the other end. */
  async otherItems(near: NearEnd): Promise<string[]> {
    const values = await this.store.distinct(RELATIONS, { path: ENDS[near.direction].otherItem, filter: own(nearFilter(near)), limit: 10_000 });
    return values.map(({ value }) => String(value));
  }

  /** Versions of one collection at the other end. */
  async otherVersions(near: NearEnd, itemId: string): Promise<string[]> {
    const { otherItem, otherVersion } = ENDS[near.direction];
    const values = await this.store.distinct(RELATIONS, { path: otherVersion, filter: own({ ...nearFilter(near), [otherItem]: itemId }), limit: 10_000 });
    return values.map(({ value }) => String(value));
  }

  async list(near: NearEnd, reach: ReachableEnds, query: ListQuery): Promise<Slice<Relation>> {
    const mine = own({ ...nearFilter(near), ...(reach.ownIds && { [ENDS[near.direction].id]: { $in: reach.ownIds } }), ...otherEndIn(near.direction, reach) });
    const filter = query.filter === undefined ? mine : allOf(parseFilter(query.filter), mine);
    return (await slice(this.store, RELATIONS, filter, { tenant: query.tenant, paging: query.paging })) as Slice<Relation>;
  }

  /** All relations between these items (as `endKey`) and these collections, in one query; at most `limit`. */
  ofItems(direction: Direction, keys: readonly string[], others: readonly string[], limit: number): Promise<Link[]> {
    const { key, otherItem, otherVersion, otherId } = ENDS[direction];
    return this.store.links({ in: RELATIONS, near: { field: key, names: keys }, far: { owner: otherItem, partition: otherVersion, id: otherId }, owners: others, limit });
  }

  /** The relations of a version's items as the store follows them. */
  linksOf(direction: Direction, versionId: string): Links {
    const { key, otherItem, otherVersion, otherId } = ENDS[direction];
    return { in: RELATIONS, near: { field: key, prefix: endKey(versionId, '') }, far: { owner: otherItem, partition: otherVersion, id: otherId } };
  }

  /** Whether anything starts or ends there at all, so that most deletes need not look for relations. */
  async anyAt(tx: DocumentTx, versionId: string): Promise<boolean> {
    const [outgoing, inverse] = [
      await this.store.find(RELATIONS, { filter: own({ fromVersion: versionId }), limit: 1 }, tx),
      await this.store.find(RELATIONS, { filter: own({ toVersion: versionId }), limit: 1 }, tx),
    ];
    return outgoing.length > 0 || inverse.length > 0;
  }
}

