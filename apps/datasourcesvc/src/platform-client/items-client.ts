import type { ItemDraft, ItemRecord, MemberDraft, PageOf, RelationDraft, TelemetryItemRecord, VersionRecord, WrittenReadings } from './item-records';
import type { PlatformHttp, PlatformRequest } from './platform-http';

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

  /** `json`: an array of items, each with its `_id`, so that the same again changes nothing (contract 2.3). */
  async createRelatedItems(itemId: string, userItemVersionId: string, json: string): Promise<void> {
    await this.call({ method: 'POST', path: this.path(`/${itemId}/relateditems/bulk`, { userItemVersionId }), json });
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
  async putReadings(itemId: string, readings: readonly object[], onConflict: string): Promise<WrittenReadings> {
    return (await this.call({ method: 'POST', path: this.path(`/${encodeURIComponent(itemId)}/relateditems/readings`, { onConflict }), json: JSON.stringify(readings) })) as WrittenReadings;
  }

  /** For work that must look before it tries again. */
  retrying<T>(work: () => Promise<T>): Promise<T> {
    return this.http.retrying(work);
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
