import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
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

export interface Collection {
  readonly id: string;
  readonly versionId: string;
  readonly userType: string;
}

const ITEMS = '/itemsvc/api/v1/nameduseritems';
/** Of a request that goes on after its answer. */
const POLL_MS = 10;

/** Items over HTTP at one address, on a fixed number of connections. */
export class ItemClient {
  private readonly pool: Pool;

  constructor(private readonly origin: string, private readonly owner: { readonly token: string; readonly namespace: string }, connections: number) {
    this.pool = new Pool(origin, { connections, pipelining: 1 });
  }

  async createCollection(userType: string): Promise<Collection> {
    const { namespace } = this.owner;
    const page = await this.ask<Page>('POST', ITEMS, [{
      _name: `Bench ${userType}`, _shortName: 'bench', _description: 'Made by the benchmark', _namespaces: [namespace], _userType: userType,
      _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} },
    }]);
    const [made] = page._list;
    return { id: String(made?.['_id']), versionId: String(made?.['_tipId']), userType };
  }

  async createIndex(collection: Collection, path: string): Promise<void> {
    await this.ask('POST', `${ITEMS}/${collection.id}/indexes`, [{ key: { [path]: 1 }, options: { name: path } }]);
  }

  /** Resolves when they are stored: with more than 1,000 that is later than the answer. */
  async createItems(collection: Collection, items: readonly object[]): Promise<void> {
    const { location } = await this.send('POST', `${pathOf(collection)}/bulk`, JSON.stringify(items));
    if (location !== undefined) await this.finished(location);
  }

  /** Resolves when all rows are stored. */
  async importRows(collection: Collection, file: AsyncIterable<Buffer>, mode: 'all' | 'rows'): Promise<void> {
    const { location } = await this.send('POST', `${pathOf(collection)}/import?mode=${mode}`, Readable.from(file));
    if (location !== undefined) await this.finished(location);
  }

  /** Reads the file to its end, and keeps nothing of it. */
  async exportRows(collection: Collection, format: 'ndjson' | 'csv'): Promise<void> {
    const { token, namespace } = this.owner;
    const path = `${pathOf(collection)}/export?format=${format}&nsfilter=${namespace}`;
    const { statusCode, body } = await this.pool.request({ method: 'GET', path, headers: { authorization: `Bearer ${token}` } });
    for await (const part of body) void part;
    if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode}`);
  }

  /** The text of the answer, as it came. */
  async get(collection: Collection, id: string): Promise<string> {
    return (await this.send('GET', `${pathOf(collection)}/${id}`)).text;
  }

  async list(collection: Collection, { query, sort, pageSize }: ItemListQuery): Promise<string> {
    const parameters = new URLSearchParams({ query: JSON.stringify(query), sort: JSON.stringify(sort), page: JSON.stringify({ _pageSize: pageSize }) });
    return (await this.send('GET', `${pathOf(collection)}?${parameters}`)).text;
  }

  async search(operator: object): Promise<string> {
    return (await this.send('POST', `${ITEMS}/search`, JSON.stringify({ $findWithRelated: operator }))).text;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private async finished(location: string): Promise<void> {
    const { pathname } = new URL(location);
    for (;;) {
      const { _status, _response } = await this.ask<{ _status: string; _response?: { _status: number } }>('GET', pathname);
      if (_status === 'COMPLETED') return;
      if (_status === 'FAILED') throw new Error(`the request failed with ${_response?._status}`);
      await delay(POLL_MS);
    }
  }

  private async ask<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    return JSON.parse((await this.send(method, path, body === undefined ? undefined : JSON.stringify(body))).text) as T;
  }

  private async send(method: 'GET' | 'POST', path: string, body?: string | Readable): Promise<{ readonly text: string; readonly location?: string }> {
    const { token, namespace } = this.owner;
    const answer = await this.pool.request({
      method,
      path: `${path}${path.includes('?') ? '&' : '?'}nsfilter=${namespace}`,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${this.origin}${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    const { location } = answer.headers;
    return { text, ...(typeof location === 'string' && { location }) };
  }
}

const pathOf = (collection: Collection) => `${ITEMS}/${collection.id}/relateditems`;
