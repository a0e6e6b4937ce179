import { AsyncLocalStorage } from 'node:async_hooks';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { newUuid } from '@twinyard/conventions';
import { type CollectionRef, DocumentStore, type StoredDocument } from '@twinyard/documents';
import { type DataKeyRecord, Envelope } from '@twinyard/envelope';
import { Outbox, OutboxStore, purgeJob, PurgeStore, resourceDeleted } from '@twinyard/events';
import { DurableRequestStore, Jobs, type NewDurableRequest, REQUEST_WORK } from '@twinyard/jobs';
import { createService, UnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, eventually, FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';
import { Client } from 'pg';
import request from 'supertest';
import { ITEM_SETTINGS, itemSettings, type ItemSettings } from '../src/config';
import { withDataKeyTools } from '../src/encryption/command-stores';
import { runDataKeysCommand } from '../src/encryption/data-keys-command';
import { ReadingExpiry } from '../src/readings/reading-expiry';
import { service } from '../src/service';
import { relatedItemsOf, UPDATE_LOGS } from '../src/storage/collections';
import { Storage } from '../src/storage/storage';
import { type ItemStores, mentioningIn, openItemStores } from './item-stores';

export const NS = 'ns1_12345678';
export const OTHER_NS = 'ns2_12345678';
/** Stands for the key of an installation. */
export const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 5).toString('base64');
const API = '/itemsvc/api/v1';

export type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire answers is what the specs look at
export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Record<string, string>;
  readonly text: string;
}

interface CallOptions {
  readonly as?: string | undefined;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
  readonly nsfilter?: string | readonly string[] | null;
  /** Scopes of the token. */
  readonly scopes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

type Method = 'get' | 'post' | 'put' | 'delete';

/** The whole service over HTTP, on stores of its own; alice owns `NS`, mallory owns `OTHER_NS`. */
export class ItemService {
  private readonly tokens = new Map<string, string>();
  private reads = 0;
  /** Inside of a question to the store: what an adapter asks itself for it is none of its own. */
  private readonly asking = new AsyncLocalStorage<boolean>();

  private constructor(
    readonly passport: FakePassport,
    private readonly stores: ItemStores,
    private readonly events: TestDatabase,
    private app: NestFastifyApplication,
  ) {}

  static async start(changed: Readonly<Record<string, string>> = {}): Promise<ItemService> {
    const passport = await FakePassport.start();
    const [stores, events] = await Promise.all([openItemStores(), createTestDatabase()]);
    const started = new ItemService(passport, stores, events, await boot(passport, stores, events, changed));
    started.countReads();
    await passport.grant('alice', NS, ['*']);
    await passport.grant('mallory', OTHER_NS, ['*']);
    return started;
  }

  async stop(): Promise<void> {
    await this.app.close();
    await Promise.all([this.stores.drop(), this.events.drop()]);
    await this.passport.stop();
    this.asking.disable();
  }

  private countReads(): void {
    const store = this.part(DocumentStore);
    for (const method of ['find', 'portion', 'count', 'page', 'linkedPage', 'distinct'] as const) {
      const real = (store[method] as (...args: unknown[]) => unknown).bind(store);
      Object.assign(store, { [method]: (...args: unknown[]) => this.counted(() => real(...args)) });
    }
  }

  /** A second process, as it were, on the same databases; `leave` ends it. */
  async twin(changed: Readonly<Record<string, string>> = {}): Promise<ItemService> {
    return new ItemService(this.passport, this.stores, this.events, await boot(this.passport, this.stores, this.events, changed));
  }

  async leave(): Promise<void> {
    await this.app.close();
  }

  /** Ends the service and starts another on the same database. */
  async restart(changed: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.app.close();
    this.app = await boot(this.passport, this.stores, this.events, changed);
  }

  async call(method: Method, path: string, { as = 'alice', query = {}, body, nsfilter = NS, scopes = ['read', 'write'], headers = {} }: CallOptions = {}): Promise<Answer> {
    const url = toUrl(path, query, nsfilter);
    const pending = request(this.app.getHttpServer())[method](url).set(headers);
    if (as !== '') void pending.set('Authorization', `Bearer ${await this.token(as, scopes)}`);
    if (body !== undefined) void pending.send(body as object);
    return (await pending) as unknown as Answer;
  }

  /** Where a request goes and whose token it bears, for those who send it themselves. */
  async address(path: string, { as = 'alice', query = {}, nsfilter = NS }: CallOptions = {}): Promise<{ readonly url: string; readonly token: string }> {
    const { port } = this.app.getHttpServer().address() as { port: number };
    return { url: `http://127.0.0.1:${port}${toUrl(path, query, nsfilter)}`, token: await this.token(as, ['read', 'write']) };
  }

  get = (path: string, options?: CallOptions) => this.call('get', path, options);
  post = (path: string, body: unknown, options: CallOptions = {}) => this.call('post', path, { ...options, body });
  put = (path: string, body: unknown, options: CallOptions = {}) => this.call('put', path, { ...options, body });
  delete = (path: string, options?: CallOptions) => this.call('delete', path, options);

  /** A request of another service. */
  async internal(path: string, body: unknown, token: string): Promise<Answer> {
    return (await request(this.app.getHttpServer()).post(path).set('Authorization', `Bearer ${token}`).send(body as object)) as unknown as Answer;
  }

  /** A named item with a name nobody else has. */
  async item(itemClass: string, fields: Json = {}, as = 'alice', namespace = NS): Promise<Json> {
    const body = [{ _name: itemClass, _shortName: 'thing', _userType: 'thing', _itemClass: itemClass, _namespaces: [namespace], ...fields }];
    const answer = await this.post('nameduseritems', body, { as, nsfilter: namespace });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body._list[0] as Json;
  }

  async related(item: Json, items: readonly Json[]): Promise<Json[]> {
    const answer = await this.post(`nameduseritems/${item._id}/relateditems/bulk`, items);
    if (answer.status === 202) return (await this.finished(answer))._response._body._list as Json[];
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body._list as Json[];
  }

  async finished(accepted: Answer, as = 'alice'): Promise<Json> {
    const path = new URL(accepted.headers.location as string).pathname;
    return eventually(async () => {
      const { body } = await this.get(path, { as, nsfilter: null });
      if (!['COMPLETED', 'FAILED'].includes(body._status as string)) throw new Error(`still ${body._status}`);
      return body;
    }, { everyMs: 20 });
  }

  async total(item: Json, query: Json = {}, as = 'alice'): Promise<number> {
    const { body } = await this.get(`nameduseritems/${item._id}/relateditems`, { as, query: { query, _pageSize: '0' } });
    return body._total as number;
  }

  /** A document as the service keeps it. */
  async document(target: CollectionRef, id: string): Promise<Json | undefined> {
    return (await this.part(DocumentStore).find(target, { filter: { _id: id }, limit: 1 }))[0];
  }

  itemsIn = (target: CollectionRef, filter: Json = {}): Promise<number> => this.part(DocumentStore).count(target, filter);

  /** What a process leaves that has deleted a version, and died before it has emptied it. */
  leaveVersionUnemptied = (itemId: string, versionId: string): Promise<void> =>
    this.part(DocumentStore).transaction((tx) => this.part(Storage).markEmptied(tx, itemId, versionId));

  readingsIn = (target: CollectionRef): Promise<number> => this.part(DocumentStore).readings.count(target, {});

  /** Entries of update logs, of whatever. */
  updatesKept = (): Promise<number> => this.part(DocumentStore).count(UPDATE_LOGS, {});

  /** How many tables or collections the service has for an item. */
  collectionsOf = (itemId: string): Promise<number> => this.stores.collectionsOf(itemId);

  /** A request that a process has accepted, begun, and not ended when it died; answers as the one that it was accepted with. */
  async leaveUnfinished(unfinished: NewDurableRequest): Promise<Answer> {
    const store = this.part(DurableRequestStore);
    const id = newUuid();
    await store.add(id, unfinished, (tx) => this.part(Jobs).enqueue(tx, REQUEST_WORK, { id }, { namespace: '', key: id }));
    await store.begin(id, true);
    return { status: 202, body: {}, headers: { location: `${this.passport.baseUrl}${API}/requests/${id}` }, text: '' };
  }

  /** What passportsvc tells when a workspace is purged. */
  async purge(namespace: string): Promise<void> {
    const workspace = { _id: newUuid(), _irn: 'passportsvc:workspace:one', _namespaces: [namespace], _purge: true };
    const event = resourceDeleted('passportsvc.Workspace', workspace, { userId: 'alice', requestId: `purge of ${namespace}` });
    await this.part(UnitOfWork).run((tx) => this.part(Outbox).append(tx, event));
  }

  /** A purge without a job, as a replica of the release before leaves it that has died. */
  async leavePurgeUnfinished(namespace: string): Promise<void> {
    await this.part(UnitOfWork).run((tx) => this.part(PurgeStore).ask(tx, { namespace, askedById: 'alice', requestId: 'the request' }));
  }

  /** Has the time be over that a purge leaves to writes under way. */
  async settlePurge(namespace: string): Promise<void> {
    const last = { namespace, askedById: 'alice', requestId: `purge of ${namespace}`, pass: 'LAST', removed: 0 } as const;
    await this.part(UnitOfWork).run((tx) => this.part(Jobs).enqueue(tx, purgeJob('itemsvc'), last, { namespace: '', key: namespace }));
  }

  unfinishedPurges = (): Promise<number> => this.part(UnitOfWork).run((tx) => this.part(PurgeStore).unfinished(tx));

  /** Where a text stands in what the service keeps. */
  mentioning = (text: string): Promise<string[]> => this.stores.mentioning(text);

  /** Where a text stands in the events on their way and in the log of them. */
  async eventsMentioning(text: string): Promise<string[]> {
    await eventually(async () => { if ((await this.waitingEvents()) > 0) throw new Error('events are on their way'); });
    return mentioningIn(this.events.url, text);
  }

  /** An operator's command beside the running service, in this process. */
  async dataKeys(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
    const lines: string[] = [];
    const code = await withDataKeyTools(this.app.get<ItemSettings>(ITEM_SETTINGS, { strict: false }), (tools) => runDataKeysCommand(args, tools, (line) => lines.push(line)));
    return { code, output: lines.join('\n') };
  }

  /** What a version of a collection keeps, as it is kept. */
  kept = (item: Json): Promise<readonly Json[]> => this.part(DocumentStore).find(relatedItemsOf(item._id as string, item._tipId as string), { limit: 5_000 });

  keptItem = (item: Json, id: string): Promise<Json | undefined> => this.document(relatedItemsOf(item._id as string, item._tipId as string), id);

  keysOf = (namespace: string): Promise<readonly DataKeyRecord[]> => this.part(Envelope).keys.store.listOf(namespace);

  /** Overwrites what is kept of a related item, past the service. */
  async tamper(item: Json, document: Json): Promise<void> {
    const store = this.part(DocumentStore);
    await store.transaction((tx) => store.replaceMany(tx, relatedItemsOf(item._id as string, item._tipId as string), [document as StoredDocument]));
  }

  /** What the service does each minute, at a time of the spec's choice. */
  expireReadings = (now: number): Promise<void> => this.part(ReadingExpiry).sweep(now);

  private counted<R>(ask: () => R): R {
    if (this.asking.getStore() === true) return ask();
    this.reads += 1;
    return this.asking.run(true, ask);
  }

  /** How often the documents' store was read since the service started. */
  storeReads = (): number => this.reads;

  /** Events about an item and what lies in it, oldest first, wherever they have got to on their way. */
  async eventsOf(itemId: string): Promise<Json[]> {
    const client = new Client({ connectionString: this.events.url });
    await client.connect();
    try {
      return await eventually(async () => {
        if ((await this.waitingEvents()) > 0) throw new Error('events are on their way');
        const { rows } = await client.query<{ event: Json }>(`select event from ${await logTable(client)} where event->>'partitionkey' = $1 order by event->>'sequence'`, [itemId]);
        // At least once: a relay that lost its server in the middle publishes a batch again, under the ids that it had.
        const events = new Map(rows.map(({ event }) => [event.id, event]));
        return [...events.values()].map((event) => ({ type: event.type, ...event.data.resource }));
      });
    } finally {
      await client.end();
    }
  }

  private waitingEvents(): Promise<number> {
    return this.part(UnitOfWork).run((tx) => this.part(OutboxStore).backlog(tx));
  }

  part<T>(type: abstract new (...args: never[]) => T): T {
    return this.app.get<T>(type as never, { strict: false });
  }

  private async token(user: string, scopes: readonly string[]): Promise<string> {
    const name = [user, ...scopes].join(' ');
    const known = this.tokens.get(name) ?? (await this.passport.token(user, { expiresIn: 3_600, scopes }));
    this.tokens.set(name, known);
    return known;
  }
}

function toUrl(path: string, query: Record<string, unknown>, nsfilter: string | readonly string[] | null): string {
  const parameters = new URLSearchParams();
  for (const name of [nsfilter ?? []].flat()) parameters.append('nsfilter', name);
  for (const [name, value] of Object.entries(query)) parameters.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  return `${path.startsWith('/') ? '' : `${API}/`}${path}?${parameters.toString()}`;
}

async function boot(passport: FakePassport, stores: ItemStores, events: TestDatabase, changed: Readonly<Record<string, string>> = {}): Promise<NestFastifyApplication> {
  const { DATABASE_URL: _, ...common } = testSettings(passport, events, events);
  // An answer may weigh less than one of an installation.
  const { ANSWER_MAX_BYTES = common.ANSWER_MAX_BYTES, ...others } = changed;
  const settings = itemSettings.parse({ ...common, ...stores.settings, KEY_ENCRYPTION_KEY, MIGRATE_ON_START: 'true', ...others });
  const app = await createService(service, { ...settings, ANSWER_MAX_BYTES: Number(ANSWER_MAX_BYTES) });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  await app.listen(0, '127.0.0.1');
  return app;
}

async function logTable(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.columns where column_name = 'event' and table_schema = 'public' and table_name not like '%dead%' limit 1`,
  );
  return rows[0]?.name ?? '';
}
