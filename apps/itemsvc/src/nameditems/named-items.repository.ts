import type { NamespaceScope } from '@twinyard/auth';
import { isObjectId, type Slice } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore, type JsonObject, type StoredDocument, type TargetedQuery, type TextPage } from '@twinyard/documents';
import { Injectable } from '@nestjs/common';
import { HISTORIES, ITEMS } from '../storage/collections';
import { narrowed, own, scopeFilter, scopeFilterWithParts } from '../storage/filters';
import { type ListQuery, slice, splitVersionsAll } from '../storage/list-query';
import { readOwn, readOwnByIds } from '../storage/own-reads';
import type { VersionRecord } from '../versions/version';
import { LookUps } from './look-ups/look-ups';
import { SharedReads } from './look-ups/shared-reads';
import type { NamedItem } from './named-item';

const EMPTY: Slice<StoredDocument> = { rows: [], total: 0 };
const WITHOUT_CONTENT = { '_versions._userData': 0, '_versions._userAttributes': 0 } as const;

/** Which items a scope reaches. */
export interface ItemReach {
  /** Also collections of which only some related items are in reach: whoever asks has to see to it that nothing else of them is told. */
  readonly withParts?: boolean;
}

const reachFilter = (scopes: readonly NamespaceScope[], { withParts = false }: ItemReach = {}) => (withParts ? scopeFilterWithParts(scopes) : scopeFilter(scopes));

@Injectable()
export class NamedItemsRepository {
  private readonly lookUps = new LookUps();
  private readonly found = new SharedReads((query: TargetedQuery) => this.store.find(query.target, query));

  constructor(private readonly store: DocumentStore) {}

  /** What an answer weighs at most. */
  get answerBytes(): number {
    return this.store.answerBytes;
  }

  /** `key`: `_id` or `_userItemId`. In reach of any of the scopes. */
  async findByKey(scopes: readonly NamespaceScope[], key: string, reach?: ItemReach): Promise<NamedItem | undefined> {
    const mine = reachFilter(scopes, reach);
    if (mine === undefined) return undefined;
    const [item] = await this.found.get(this.lookUps.of(mine, key));
    return item as NamedItem | undefined;
  }

  /** The same together with a page of something else: one question to the store. */
  async findByKeyWith(scopes: readonly NamespaceScope[], key: string, reach: ItemReach, wanted: TargetedQuery): Promise<{ readonly item?: NamedItem; readonly page: TextPage }> {
    const { beside, ...page } = await this.store.page(wanted, this.lookUps.of(reachFilter(scopes, reach), key));
    const [item] = beside as NamedItem[];
    return { page, ...(item && { item }) };
  }

  /** Without what their versions hold. */
  async findByKeys(scopes: readonly NamespaceScope[], keys: readonly string[], reach?: ItemReach): Promise<NamedItem[]> {
    const ids = keys.filter(isObjectId);
    const names = keys.filter((key) => !isObjectId(key));
    const either = [...(ids.length > 0 ? [{ _id: ids.length === 1 ? ids[0] : { $in: ids } }] : []), ...(names.length > 0 ? [{ _userItemId: { $in: names } }] : [])];
    if (either.length === 0) return [];
    return this.findWhere(scopes, either.length === 1 ? (either[0] as JsonObject) : { $or: either }, keys.length, reach);
  }

  /** At most `limit` items that a filter of our own selects, in the order of their ids, without what their versions hold. */
  async findWhere(scopes: readonly NamespaceScope[], filter: JsonObject, limit: number, reach?: ItemReach): Promise<NamedItem[]> {
    const mine = reachFilter(scopes, reach);
    if (mine === undefined) return [];
    return (await readOwn(this.store, ITEMS, { filter: narrowed(undefined, own(filter), mine), limit, projection: WITHOUT_CONTENT })) as NamedItem[];
  }

  /** Telemetry collections in the order of their ids, those behind `after`; also those of which only some related items are in reach. */
  async telemetryCollections(scopes: readonly NamespaceScope[], after: string | undefined, limit: number): Promise<Pick<NamedItem, '_id'>[]> {
    const mine = reachFilter(scopes, { withParts: true });
    if (mine === undefined) return [];
    const wanted = own({ _itemClass: 'NamedTelemetryCollection', ...(after !== undefined && { _id: { $gt: after } }) });
    return this.store.find(ITEMS, { filter: narrowed(undefined, wanted, mine), projection: { _id: 1 }, sort: { _id: 1 }, limit });
  }

  async list(scope: NamespaceScope, query: ListQuery, reach?: ItemReach): Promise<Slice<StoredDocument>> {
    const mine = reachFilter([scope], reach);
    const { all, filter } = splitVersionsAll(query.filter);
    // The filter is parsed even where nothing is in reach: a bad one is 400 for everybody.
    const asked = narrowed(filter, ...(mine ? [mine] : []));
    return mine === undefined ? EMPTY : slice(this.store, all ? HISTORIES : ITEMS, asked, query);
  }

  /** One item as the caller wants to see it: a projection, all versions. `id` was found in its reach before. */
  async findView(scope: NamespaceScope, id: string, view: { readonly projection?: JsonObject; readonly allVersions: boolean }): Promise<StoredDocument | undefined> {
    const reach = scopeFilter([scope]);
    if (reach === undefined) return undefined;
    const filter = narrowed(undefined, own({ _id: id }), reach);
    const [row] = await this.store.find(view.allVersions ? HISTORIES : ITEMS, { filter, limit: 1, ...(view.projection && { projection: view.projection }) });
    return row;
  }

  /** The item as the transaction sees it, under its lock. */
  async current(tx: DocumentTx, id: string): Promise<NamedItem | undefined> {
    const [item] = await this.store.find(ITEMS, { filter: own({ _id: id }), limit: 1 }, tx);
    return item as NamedItem | undefined;
  }

  /** Of all tenants: for the service's own work, in nobody's name. Without what their versions hold. */
  async readMany(ids: readonly string[]): Promise<NamedItem[]> {
    return (await readOwnByIds(this.store, ITEMS, ids, { projection: WITHOUT_CONTENT })) as NamedItem[];
  }

  /** Telemetry collections of all tenants whose readings expire, those behind `after`: for the service's own work, in nobody's name. Without what their versions hold. */
  async expiring(after: string, limit: number): Promise<NamedItem[]> {
    const filter = own({ _itemClass: 'NamedTelemetryCollection', '_tsProperties._expiry': { $gt: 0 }, _id: { $gt: after } });
    return (await readOwn(this.store, ITEMS, { filter, limit, projection: WITHOUT_CONTENT })) as NamedItem[];
  }

  /** The latest of the scripts of a user type in some namespaces: for the service's own work, by a config that names it. */
  async latestScript(namespaces: readonly string[], userType: string): Promise<NamedItem | undefined> {
    const filter = own({ _itemClass: 'Script', _userType: userType, _namespaces: { $in: namespaces } });
    const [script] = await this.store.find(ITEMS, { filter, sort: { '_metadata._createdAt': -1, _id: -1 }, limit: 1 });
    return script as NamedItem | undefined;
  }

  async insertMany(tx: DocumentTx, items: readonly NamedItem[]): Promise<void> {
    await this.store.insertMany(tx, ITEMS, items);
    await this.store.insertMany(tx, HISTORIES, items);
  }

  /** `item` holds its tip under `_versions`; `versions` are all of them, oldest first. */
  async replace(tx: DocumentTx, item: NamedItem, versions: readonly VersionRecord[]): Promise<void> {
    await this.store.replaceMany(tx, ITEMS, [item]);
    await this.store.replaceMany(tx, HISTORIES, [{ ...item, _versions: versions }]);
  }

  async remove(tx: DocumentTx, id: string): Promise<void> {
    await this.store.deleteMany(tx, ITEMS, own({ _id: id }));
    await this.store.deleteMany(tx, HISTORIES, own({ _id: id }));
  }
}
