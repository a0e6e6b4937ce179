import { Pool } from 'undici';

export interface ItemListQuery {
  readonly query: object;
  readonly sort: object;
  readonly pageSize: number;
}

interface Page {
  readonly _total: number;
  readonly _list: readonly Record<string, unknown>[];
}

const ITEMS = '/itemsvc/api/v1/nameduseritems';

/** Items over HTTP at one address, on a fixed number of connections. */
export class ItemClient {
  private readonly pool: Pool;

  constructor(origin: string, private readonly owner: { readonly token: string; readonly namespace: string }, connections: number) {
    this.pool = new Pool(origin, { connections, pipelining: 1 });
  }

  async createCollection(name: string): Promise<string> {
    const { namespace } = this.owner;
    const page = await this.send('POST', ITEMS, [{
      _name: name, _shortName: 'bench', _description: 'Made by the benchmark', _namespaces: [namespace], _userType: 'bench',
      _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} },
    }]);
    return String((page as Page)._list[0]?.['_userItemId']);
  }

  /** Resolves with the ids. */
  async createItems(collection: string, items: readonly object[]): Promise<string[]> {
    const page = (await this.send('POST', this.pathOf(collection), items)) as Page;
    return page._list.map(({ _id }) => String(_id));
  }

  get(collection: string, id: string): Promise<unknown> {
    return this.send('GET', `${this.pathOf(collection)}/${encodeURIComponent(id)}`);
  }

  async list(collection: string, { query, sort, pageSize }: ItemListQuery): Promise<Page> {
    const parameters = new URLSearchParams({ query: JSON.stringify(query), sort: JSON.stringify(sort), page: JSON.stringify({ _pageSize: pageSize }) });
    return (await this.send('GET', `${this.pathOf(collection)}?${parameters}`)) as Page;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private readonly pathOf = (collection: string) => `${ITEMS}/${encodeURIComponent(collection)}/relateditems`;

  private async send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const { token, namespace } = this.owner;
    const answer = await this.pool.request({
      method,
      path: `${path}${path.includes('?') ? '&' : '?'}nsfilter=${namespace}`,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }
}
