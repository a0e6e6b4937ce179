import { type Api, type Fields, type Page, repeatable } from '../../../tour/api';
import type { Project } from '../../../tour/steps/project';
import { type Credentials, signIn } from '../../../tour/sign-in';

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const FILES = '/filesvc/api/v1/files';
const PASSPORT = '/passportsvc/api/v1';
const MINUTE_MS = 60_000;
/** Between two requests of a person who works: it asks, looks, and asks again. */
const PAUSE_MS = 25;
/** Whoever waits longer has gone. */
const PATIENCE_MS = 30_000;

const SIGN_IN = 'sign in';

export interface Timing {
  readonly what: string;
  /** When it began, in ms since the process did. */
  readonly at: number;
  readonly ms: number;
}

interface Records {
  readonly collection: string;
  readonly item: string;
  readonly sensors: string;
  readonly sensor: string;
  readonly folder: string;
}

/** Somebody who works with the platform as people do, one request after the other, and notes how long each took. */
export class GoodTenant {
  /** Of each request. */
  readonly timings: Timing[] = [];
  /** Of all requests of a sign-in together: a browser is led through five. */
  readonly signIns: Timing[] = [];
  readonly failures: string[] = [];
  private turn = 0;

  private constructor(private readonly api: Api, private readonly namespace: string, private readonly credentials: Credentials, private readonly records: Records) {}

  static async make({ owner, namespace }: Project, credentials: Credentials): Promise<GoodTenant> {
    const make = async (_itemClass: string, extra: Fields = {}) => {
      const draft = { _name: 'Mine', _shortName: 'mine', _namespaces: [namespace], _userType: 'mine', _itemClass, _version: { _userAttributes: {} } };
      return idOf((await owner.post<Page<Fields>>(ITEMS, [{ ...draft, ...extra }]))._list[0]);
    };
    const collection = await make('NamedUserCollection');
    const rooms = Array.from({ length: 500 }, (_, n) => ({ name: `Room ${n}`, storey: n % 10, area: n * 1.5 }));
    const page = await owner.post<Page<Fields>>(`${ITEMS}/${collection}/relateditems/bulk`, rooms);
    const sensors = await make('NamedTelemetryCollection', { _tsProperties: { _granularity: 'hours' } });
    const sensor = idOf((await owner.post<Page<Fields>>(`${ITEMS}/${sensors}/relateditems`, [{ _sourceId: 's1' }]))._list[0]);
    const folder = idOf(await owner.post(FILES, undefined, { _name: 'Mine', _namespaces: namespace }));
    return new GoodTenant(owner, namespace, credentials, { collection, item: idOf(page._list[7]), sensors, sensor, folder });
  }

  /** Works until it is told to stop. */
  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const duties = this.duties();
      const [what, duty] = duties[this.turn % duties.length] ?? ['nothing', async () => undefined];
      await this.timed(what, duty, what === SIGN_IN ? this.signIns : this.timings);
      this.turn += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  private async timed(what: string, duty: () => Promise<unknown>, timings: Timing[]): Promise<void> {
    const began = performance.now();
    try {
      await Promise.race([duty(), gone()]);
    } catch (error) {
      this.failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
    timings.push({ what, at: began, ms: performance.now() - began });
  }

  private duties(): (readonly [string, () => Promise<unknown>])[] {
    const { collection, item, sensors, sensor, folder } = this.records;
    const rooms = `${ITEMS}/${collection}/relateditems`;
    const readings = `${ITEMS}/${sensors}/relateditems/readings`;
    const _ts = new Date(Date.UTC(2026, 0, 1) + this.turn * MINUTE_MS).toISOString();
    return [
      ['who am I', () => this.ask('GET', `${PASSPORT}/users/me`)],
      ['one item', () => this.ask('GET', `${rooms}/${item}`)],
      ['items, filtered and sorted', () => this.ask('GET', rooms, undefined, { query: { storey: 3 }, sort: { area: -1 }, _pageSize: 25 })],
      ['make an item', () => this.ask('POST', rooms, [{ name: `New ${this.turn}`, storey: 1 }])],
      ['change an item', () => this.ask('PUT', `${rooms}/${item}`, { name: `Changed ${this.turn}`, storey: 2 })],
      ['a reading', () => this.ask('POST', readings, [{ _ts, _tsMetadata: { _telItemId: sensor, _sourceId: 's1' }, value: this.turn }])],
      ['figures of readings', () => this.ask('POST', `${readings}/aggregate`, [{ $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'hour' } }, mean: { $avg: '$value' } } }])],
      ['an upload', () => this.upload(folder)],
      ['files', () => this.ask('GET', FILES, undefined, { _parents: folder })],
      ['triggers', () => this.ask('GET', '/notificationsvc/api/v1/trigger')],
      ['orchestrators', () => this.ask('GET', '/datasourcesvc/api/v1/orchestrators')],
      ['projects', () => this.ask('GET', `${PASSPORT}/workspaces`)],
      ...(this.turn % 48 < 12 ? [[SIGN_IN, () => this.signIn()] as const] : [['teams', () => this.ask('GET', '/aisvc/api/v1/teams')] as const]),
    ];
  }

  private signIn(): Promise<string> {
    const { baseUrl } = this.api;
    return signIn({ baseUrl, ...this.credentials, clientId: 'console', redirectUri: `${baseUrl}/console/callback`, send: (url, init) => this.step(url, init) });
  }

  /** Of a sign-in; once, as any other request. */
  private async step(url: URL, init: RequestInit): Promise<Response> {
    const began = performance.now();
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    this.timings.push({ what: `${SIGN_IN}: ${init.method ?? 'GET'} ${url.pathname.replace(/[\w-]{20,}/, '…')}`, at: began, ms: performance.now() - began });
    return response;
  }

  private upload(folder: string): Promise<unknown> {
    const form = new FormData();
    form.set('file', new Blob([`note ${this.turn}`]), `note-${this.turn}.txt`);
    return this.ask('POST', FILES, form, { _namespaces: this.namespace, _parents: folder });
  }

  /** Once: what is refused, for whatever reason, has failed. */
  private async ask(method: string, path: string, body?: unknown, parameters: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const url = new URL(path, this.api.baseUrl);
    for (const [name, value] of Object.entries({ nsfilter: this.namespace, ...parameters })) {
      url.searchParams.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
    }
    const response = await fetch(url, {
      method, signal: AbortSignal.timeout(PATIENCE_MS),
      headers: {
        ...repeatable(method), authorization: `Bearer ${String(this.api.token)}`,
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 200)}`);
  }
}

async function gone(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
  throw new Error(`no answer within ${PATIENCE_MS} ms`);
}

/** In milliseconds, of all that was done. */
export function percentile(timings: readonly Timing[], share: number): number {
  const sorted = timings.map(({ ms }) => ms).sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function idOf(record: Fields | undefined): string {
  if (typeof record?.['_id'] !== 'string') throw new Error(`a record without an id: ${JSON.stringify(record)}`);
  return record['_id'];
}
