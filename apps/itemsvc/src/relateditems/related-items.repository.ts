import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { limitExceeded, newObjectId, type Slice } from '@twinyard/conventions';
import {
  allOf, type DistinctValue, type DocumentTx, DocumentStore, idFilter, type InsertResult, type JsonObject, type LinkCondition, type LinkTarget, type ParsedFilter, parseFilter, type ReplaceResult, type StoredDocument, type TargetedQuery, type TextPage, type TextRow, type TextRows, type WriteResult,
} from '@twinyard/documents';
import { withoutDotted } from '../encryption/dotted-names';
import { encryptionOf, ItemEncryption } from '../encryption/item-encryption';
import { refuseEncryptedPaths, refuseEncryptedValues } from '../encryption/refused-paths';
import type { Place } from '../nameditems/item-access';
import { reachOf } from '../nameditems/item-reach';
import type { NamedItem } from '../nameditems/named-item';
import { collectionName, relatedItemsOf, trialOf } from '../storage/collections';
import { chunksOf, own } from '../storage/filters';
import { linkedSlice, type ListQuery, slice, targeted } from '../storage/list-query';
import { portionsByIds, readOwn, readOwnByIds } from '../storage/own-reads';
import { hidesId, withId, without } from '../storage/projected-ids';
import type { RelatedItem } from './related-item';

const EVERYTHING = own({});
const PAGE = 5_000;
/** Values that a question for distinct ones gets at most. */
const MAX_VALUES = 10_000;
const MAX_REACHED = 100_000;

/** Which collection version, and what of it: found by `ItemAccess`, in the caller's scope. */
export interface Spot {
  readonly itemId: string;
  readonly versionId: string;
  /** The items that are in reach: a condition of every query. Absent: all. */
  readonly only?: ParsedFilter;
  /** Under whose key what has a dotted name is stored; absent: nothing is encrypted. */
  readonly encryptedIn?: string;
}

export const spotOf = (place: Place): Spot => ({ ...wholeSpotOf(place), ...(place.only && { only: place.only }) });
/** A version of a collection that was found in one of the scopes, as far as they reach into it; `undefined`: they do not. */
export function spotInReach(scopes: readonly NamespaceScope[], item: NamedItem, versionId: string): Spot | undefined {
  const reach = reachOf(scopes, item);
  if (reach === 'none') return undefined;
  return { ...wholeSpotOf({ item, versionId }), ...(reach !== 'all' && { only: reach }) };
}

/** Where a rule holds for all items, whoever may see them. */
export const wholeSpotOf = ({ item, versionId }: Pick<Place, 'item' | 'versionId'>): Spot => ({ itemId: item._id, versionId, ...encryptionOf(item) });

const target = ({ itemId, versionId }: Spot) => relatedItemsOf(itemId, versionId);
const within = ({ only }: Spot, filter: ParsedFilter): ParsedFilter => (only === undefined ? filter : allOf(filter, only));
const reachOfSpot = ({ only }: Spot) => (only === undefined ? {} : { filter: only });
/** What the caller asks for of what is in its reach. */
const asked = (spot: Spot, filter: JsonObject | undefined, ...ours: readonly ParsedFilter[]): ParsedFilter => {
  const wanted = filter === undefined ? EVERYTHING : parseFilter(filter);
  if (spot.encryptedIn !== undefined) refuseEncryptedPaths({ query: filter });
  return within(spot, ours.length === 0 ? wanted : allOf(wanted, ...ours));
};

@Injectable()
export class RelatedItemsRepository {
  constructor(
    private readonly store: DocumentStore,
    private readonly encryption: ItemEncryption,
  ) {}

  /** What an answer weighs at most. */
  get answerBytes(): number {
    return this.store.answerBytes;
  }

  /** `condition`: which rows of the page stay; the total counts all that match. */
  async list(spot: Spot, { filter, ...query }: ListQuery, condition?: LinkCondition): Promise<Slice<StoredDocument>> {
    const page = (wanted: Omit<ListQuery, 'filter'>) => (
      condition === undefined ? slice(this.store, target(spot), asked(spot, filter), wanted) : linkedSlice(this.store, target(spot), { ...wanted, filter: asked(spot, filter) }, condition)
    );
    if (spot.encryptedIn === undefined) return page(query);
    refuseEncryptedPaths(query);
    const { projection, ...rest } = query;
    const wanted = withId(projection);
    let found: Slice<StoredDocument> = { rows: [], total: 0 };
    const plain = await this.encryption.read(spot, async () => {
      found = await page({ ...rest, ...(wanted && { projection: wanted }) });
      return found.rows;
    });
    return { ...found, rows: hidesId(projection) ? plain.map((row) => without(row, '_id') as StoredDocument) : plain };
  }

  /** As `list`, each row as a text with its id. */
  async texts(spot: Spot, query: ListQuery, condition?: LinkCondition): Promise<Slice<TextRow>> {
    if (spot.encryptedIn === undefined && condition === undefined) return this.store.textRows(this.textQuery(spot, query));
    const { projection, ...rest } = query;
    const wanted = withId(projection);
    const { rows, ...page } = await this.list(spot, { ...rest, ...(wanted && { projection: wanted }) }, condition);
    return { rows: rows.map((row) => toTextRow(row, projection)), ...page };
  }

  /** The items in reach that meet the caller's condition, in whichever version, as what relations lead to. */
  linkTarget(spot: Spot, filter: JsonObject | undefined): LinkTarget {
    return { owner: spot.itemId, name: collectionName(spot.itemId), filter: asked(spot, filter) };
  }

  textQuery(spot: Spot, { filter, ...query }: ListQuery): TargetedQuery {
    return targeted(target(spot), asked(spot, filter), query);
  }

  textQueryOf(spot: Spot, id: string): TargetedQuery {
    return { target: target(spot), filter: within(spot, idFilter(id)), limit: 1 };
  }

  /** As the store holds it: for collections in which nothing has to change on the way out. */
  textPage(query: TargetedQuery): Promise<TextPage> {
    return this.store.page(query);
  }

  /** Items in the order of their ids, those behind `after`: for whoever goes through all of them. */
  async batchAfter(spot: Spot, after: string | undefined, limit: number): Promise<StoredDocument[]> {
    const filter = within(spot, after === undefined ? EVERYTHING : own({ _id: { $gt: after } }));
    return this.encryption.read(spot, async () => (await this.store.portion(target(spot), { filter, sort: { _id: 1 }, limit })).documents);
  }

  count(spot: Spot, filter: JsonObject): Promise<number> {
    return this.store.count(target(spot), asked(spot, filter));
  }

  async find(spot: Spot, id: string): Promise<RelatedItem | undefined> {
    const [row] = await this.encryption.read(spot, () => this.store.find(target(spot), { filter: within(spot, idFilter(id)), limit: 1 }));
    return row as RelatedItem | undefined;
  }

  /** What is stored under these ids, some megabytes at a time, however much it is. */
  async *stored(tx: DocumentTx, spot: Spot, ids: readonly string[]): AsyncGenerator<readonly RelatedItem[], void> {
    for await (const rows of portionsByIds(this.store, target(spot), ids, reachOfSpot(spot), tx)) yield (await this.encryption.open(spot, rows)) as RelatedItem[];
  }

  /** Which of the ids are there. */
  async existing(tx: DocumentTx, spot: Spot, ids: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (const chunk of chunksOf([...new Set(ids)])) {
      const rows = await this.store.find(target(spot), { filter: within(spot, own({ _id: { $in: chunk } })), projection: { _id: 1 }, limit: chunk.length }, tx);
      for (const { _id } of rows) found.add(_id);
    }
    return found;
  }

  /** Which of these items would lie in a part of a collection, said by the store, which knows what a filter means. Nothing of them stays. */
  async tried(tx: DocumentTx, { only = EVERYTHING, encryptedIn }: Spot, items: readonly RelatedItem[]): Promise<Set<string>> {
    const trial = trialOf(newObjectId());
    const found = new Set<string>();
    for (const chunk of chunksOf(items)) {
      // No part is told by what is stored encrypted.
      await this.store.insertMany(tx, trial, encryptedIn === undefined ? chunk : chunk.map(withoutDotted));
      for (const { _id } of await this.store.find(trial, { filter: only, projection: { _id: 1 }, limit: chunk.length }, tx)) found.add(_id);
      await this.store.deleteMany(tx, trial, EVERYTHING);
    }
    return found;
  }

  /** The sensor of each item that is there. */
  async sources(tx: DocumentTx | undefined, spot: Spot, ids: readonly string[]): Promise<Map<string, string | undefined>> {
    const rows = await readOwnByIds(this.store, target(spot), ids, { ...reachOfSpot(spot), projection: { _sourceId: 1 } }, tx);
    return new Map((rows as RelatedItem[]).map(({ _id, _sourceId }) => [_id, _sourceId]));
  }

  /** Items that stand for one of these sensors. */
  async withSources(tx: DocumentTx | undefined, spot: Spot, sourceIds: readonly string[]): Promise<RelatedItem[]> {
    const found: RelatedItem[] = [];
    for (const chunk of chunksOf(sourceIds)) {
      const rows = await readOwn(this.store, target(spot), { filter: within(spot, own({ _sourceId: { $in: chunk } })), projection: { _sourceId: 1 }, limit: chunk.length }, tx);
      found.push(...(rows as RelatedItem[]));
    }
    return found;
  }

  /** Ids of the items that have one of these sources, by the source, however many have the same. */
  async holdersOf(tx: DocumentTx | undefined, spot: Spot, sourceIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const wanted = new Set(sourceIds);
    const holders = new Map<string, string[]>();
    for (const chunk of chunksOf(sourceIds)) {
      const rows = await readOwn(this.store, target(spot), { filter: within(spot, own({ _sourceId: { $in: chunk } })), projection: { _sourceId: 1 }, limit: MAX_REACHED }, tx);
      for (const { _id, _sourceId } of rows as RelatedItem[]) {
        // A list of texts is met by each of them.
        if (_sourceId !== undefined && wanted.has(_sourceId)) holders.set(_sourceId, [...(holders.get(_sourceId) ?? []), _id]);
      }
    }
    return holders;
  }

  /** Items with one of these values at the first path, as far as the paths go; arrays and objects are not looked for. */
  async holding(spot: Spot, paths: readonly string[], values: readonly unknown[]): Promise<StoredDocument[]> {
    const scalars = [...new Set(values.map((value) => value ?? null))].filter((value) => typeof value !== 'object' || value === null);
    const found: StoredDocument[] = [];
    for (const chunk of chunksOf(scalars)) {
      const filter = within(spot, own({ [paths[0] ?? '']: { $in: chunk } }));
      found.push(...(await readOwn(this.store, target(spot), { filter, projection: Object.fromEntries(paths.map((path) => [path, 1])), limit: PAGE })));
    }
    return found;
  }

  /** Of these items those that meet a condition. */
  among(spot: Spot, ids: readonly string[], filter: JsonObject | undefined): Promise<StoredDocument[]> {
    return this.encryption.read(spot, () => readOwnByIds(this.store, target(spot), ids, { filter: asked(spot, filter) }));
  }

  /** The same for an answer, in the order that the caller asks for: one query, however many ids. */
  private async shownAmong(spot: Spot, ids: readonly string[], { filter, sort, projection }: Omit<ListQuery, 'paging'>): Promise<StoredDocument[]> {
    if (ids.length === 0) return [];
    const wanted = asked(spot, filter, own({ _id: { $in: ids } }));
    if (spot.encryptedIn !== undefined) refuseEncryptedPaths({ ...(sort && { sort }) });
    return this.encryption.read(spot, () => this.store.find(target(spot), { filter: wanted, limit: ids.length, ...(sort && { sort }), ...(projection && { projection }) }));
  }

  /** The same, each row as a text with its id. */
  async textsAmong(spot: Spot, ids: readonly string[], { projection, ...query }: Omit<ListQuery, 'paging'>): Promise<readonly TextRow[]> {
    // Nothing is counted when the page cannot be full.
    if (spot.encryptedIn === undefined && ids.length > 0) return whole(await this.store.textRows({ target: target(spot), tenant: query.tenant, filter: asked(spot, query.filter, own({ _id: { $in: ids } })), limit: ids.length + 1, ...(query.sort && { sort: query.sort }), ...(projection && { projection }) }), this.store.answerBytes);
    const wanted = withId(projection);
    return (await this.shownAmong(spot, ids, { ...query, ...(wanted && { projection: wanted }) })).map((row) => toTextRow(row, projection));
  }

  /** Ids of all that match, at most `limit`. */
  async idsOf(spot: Spot, filter: JsonObject | undefined, limit: number): Promise<string[]> {
    return (await this.store.find(target(spot), { filter: asked(spot, filter), projection: { _id: 1 }, limit })).map(({ _id }) => _id);
  }

  /** All that a grant on some of the items reaches, for conditions on what refers to items by their ids. */
  async idsInReach(spot: Spot): Promise<string[]> {
    const ids = await this.idsOf(spot, undefined, MAX_REACHED + 1);
    if (ids.length > MAX_REACHED) throw limitExceeded(`Grants on some related items reach more than ${MAX_REACHED} of them: a grant on the collection is needed here`);
    return ids;
  }

  /** The values of a field over what matches, or over these items of it. */
  async distinct(spot: Spot, path: string, filter: JsonObject | undefined, ids?: readonly string[]): Promise<DistinctValue[]> {
    if (spot.encryptedIn !== undefined) refuseEncryptedPaths({ field: path });
    const wanted = ids === undefined ? asked(spot, filter) : asked(spot, filter, own({ _id: { $in: ids } }));
    const values = await this.store.distinct(target(spot), { path, filter: wanted, limit: MAX_VALUES });
    if (spot.encryptedIn !== undefined) refuseEncryptedValues(path, values.map(({ value }) => value));
    return values;
  }

  /** Ids of at most a page of what matches. */
  async matching(tx: DocumentTx, spot: Spot, filter: JsonObject): Promise<string[]> {
    const rows = await this.store.find(target(spot), { filter: asked(spot, filter), projection: { _id: 1 }, limit: PAGE }, tx);
    return rows.map(({ _id }) => _id);
  }

  async insertMany(tx: DocumentTx, spot: Spot, items: readonly RelatedItem[]): Promise<InsertResult> {
    return this.store.insertMany(tx, target(spot), await this.encryption.seal(tx, spot, items));
  }

  async replaceMany(tx: DocumentTx, spot: Spot, items: readonly RelatedItem[]): Promise<ReplaceResult> {
    return this.store.replaceMany(tx, target(spot), await this.encryption.seal(tx, spot, items));
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
}

/** What is found beside others cannot be cut. */
function whole({ rows, isCut }: TextRows, most: number): readonly TextRow[] {
  if (isCut === true) throw limitExceeded(`What is related weighs more than ${most} bytes; ask for fewer parents at a time, or project`, 'project');
  return rows;
}

/** Of what was read with its `_id`. */
const toTextRow = (row: StoredDocument, projection: JsonObject | undefined): TextRow => ({ id: row._id, text: JSON.stringify(hidesId(projection) ? without(row, '_id') : row) });
