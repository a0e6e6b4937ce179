import type { ItemDraft, ItemRecord, MemberDraft, PageOf, RelationDraft, TelemetryItemRecord, UpsertedItems, VersionRecord, WrittenReadings } from './item-records';
import { PlatformError } from './platform-error';
import { type PlatformHttp, type PlatformRequest, STREAM_TIMEOUT_MS } from './http/platform-http';

export interface UpsertTerms {
  readonly onConflict: string;
  readonly idempotencyKey: string;
}

/** As in lists (contract 2.3). */
export interface ExportTerms {
  readonly format: 'ndjson' | 'csv';
  readonly userItemVersionId: string;
  readonly query?: object;
  readonly sort?: object;
  readonly project?: object;
}

const ITEMS = '/itemsvc/api/v1/nameduseritems';

/** itemsvc's public API, as far as components need it; everything within the namespaces of the run. */
export class ItemsClient {
  constructor(
    private readonly http: PlatformHttp,
    private readonly namespaces: readonly string[],
  ) {}

  /** The oldest that matches. */
  async findItem(query: object): Promise<ItemRecord | undefined> {
    const page = await this.get<PageOf<ItemRecord>>('', { query, page: { _offset: 0, _pageSize: 1 } });
    return page._list[0];
  }

  /** The latest of the scripts of a user type, as a telemetry config finds its own. */
  async findScript(userType: string): Promise<ItemRecord | undefined> {
    const page = await this.get<PageOf<ItemRecord>>('', { query: { _itemClass: 'Script', _userType: userType }, sort: { '_metadata._createdAt': -1, _id: -1 }, page: { _offset: 0, _pageSize: 1 } });
    return page._list[0];
  }

  /** One try: an answer that was lost may have made the item, so the caller looks before it tries again. */
  async tryCreateItem(draft: ItemDraft, idempotencyKey: string): Promise<ItemRecord> {
    const page = (await this.call({ method: 'POST', path: this.path(''), json: JSON.stringify([draft]), idempotencyKey, retry: false })) as PageOf<ItemRecord>;
    return page._list[0] as ItemRecord;
  }

  /** One try, as above. */
  async tryCreateVersion(itemId: string, userAttributes: object, idempotencyKey: string): Promise<VersionRecord> {
    const json = JSON.stringify({ _userAttributes: userAttributes });
    return (await this.call({ method: 'POST', path: this.path(`/${itemId}/versions`), json, idempotencyKey, retry: false })) as VersionRecord;
  }

  /** With all that is in it; one that is not there is well too. */
  deleteItem(itemId: string): Promise<void> {
    return this.remove(`/${itemId}`);
  }

  /** As above. The version before it is the latest again. */
  deleteVersion(itemId: string, versionId: string): Promise<void> {
    return this.remove(`/${itemId}/versions/${versionId}`);
  }

  /** `json`: an array of items, each with its `_id`, so that the same again changes nothing (contract 2.3). */
  async createRelatedItems(itemId: string, userItemVersionId: string, json: string): Promise<void> {
    await this.call({ method: 'POST', path: this.path(`/${itemId}/relateditems/bulk`, { userItemVersionId }), json });
  }

  /** `json`: an array of items, none of which has an `_id`: those whose `_sourceId` the version has are changed as `onConflict` says. The same again changes nothing. */
  async upsertItems(itemId: string, userItemVersionId: string, json: string, { onConflict, idempotencyKey }: UpsertTerms): Promise<UpsertedItems> {
    const path = this.path(`/${itemId}/relateditems/bulk`, { userItemVersionId, by: '_sourceId', onConflict });
    return (await this.call({ method: 'PUT', path, json, idempotencyKey })) as UpsertedItems;
  }

  async putRelations(itemId: string, userItemVersionId: string, relations: readonly RelationDraft[]): Promise<void> {
    await this.call({ method: 'PUT', path: this.path(`/${itemId}/relationships/bulk`, { userItemVersionId }), json: JSON.stringify(relations) });
  }

  async putMembers(compositeId: string, userItemVersionId: string, members: readonly MemberDraft[]): Promise<void> {
    await this.call({ method: 'POST', path: this.path(`/${compositeId}/relatedcollections`, { userItemVersionId }), json: JSON.stringify(members) });
  }

  findTelemetryItems(itemId: string, query: object): Promise<PageOf<TelemetryItemRecord>> {
    return this.get(`/${encodeURIComponent(itemId)}/relateditems`, { query, page: { _offset: 0, _pageSize: 2 } });
  }

  /** The same readings again change nothing (contract 2.7); `onConflict` says what becomes of those that are there. */
  async putReadings(itemId: string, readings: readonly object[], { onConflict, idempotencyKey }: UpsertTerms): Promise<WrittenReadings> {
    return (await this.call({ method: 'POST', path: this.path(`/${encodeURIComponent(itemId)}/relateditems/readings`, { onConflict }), json: JSON.stringify(readings), idempotencyKey })) as WrittenReadings;
  }

  /** Related items as the bytes of a file, of one moment. One try; what goes wrong on the way breaks off. `signal` ends it, also where nobody has begun to read. */
  async exported(itemId: string, terms: ExportTerms, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.http.within(signal).send('itemsvc', { method: 'GET', path: this.path(`/${encodeURIComponent(itemId)}/relateditems/export`, { ...terms }), timeoutMs: STREAM_TIMEOUT_MS });
    return this.http.bytes(response);
  }

  /** For work that must look before it tries again. */
  retrying<T>(work: () => Promise<T>): Promise<T> {
    return this.http.retrying(work);
  }

  private async remove(path: string): Promise<void> {
    await this.call({ method: 'DELETE', path: this.path(path) }).catch((error: unknown) => {
      if (!(error instanceof PlatformError && error.status === 404)) throw error;
    });
  }

  private async get<T>(path: string, parameters: Record<string, unknown>): Promise<T> {
    return (await this.call({ method: 'GET', path: this.path(path, parameters) })) as T;
  }

  private call(request: PlatformRequest): Promise<unknown> {
    return this.http.json('itemsvc', request);
  }

  private path(path: string, parameters: Record<string, unknown> = {}): string {
    const query = new URLSearchParams(this.namespaces.map((namespace): [string, string] => ['nsfilter', namespace]));
    for (const [name, value] of Object.entries(parameters)) query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    return `${ITEMS}${path}?${query}`;
  }
}
