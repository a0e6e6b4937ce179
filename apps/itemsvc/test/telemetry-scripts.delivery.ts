import { existsSync } from 'node:fs';
import { createTestDatabase, eventually, FakePassport, type TestDatabase } from '@twinyard/testing';
import { itemEnvironment, ItemProcess } from './item-process';
import { type Json, NS } from './item-service';

const MB = 1024 * 1024;
/** Two threads, each with the limit of a script and what its engine begins with. */
const ENGINES_BYTES = 2 * (64 * 1.05 + 16) * MB;
/** What a service under work takes beside them. */
const MARGIN_BYTES = 96 * MB;
const AT_ONCE = 8;
const LOOK_MS = 20;

const BOMBS = {
  buffers: 'const all = []; for (;;) all.push(new ArrayBuffer(2 ** 20));',
  strings: 'const all = []; for (let n = 0; ; n += 1) all.push("x".repeat(2 ** 16) + n);',
  arrays: 'const all = []; for (let n = 0; ; n += 1) all.push(new Array(1000).fill(n));',
};

(existsSync('/proc') ? describe : describe.skip)('scripts of telemetry that ask for memory without end', () => {
  let passport: FakePassport;
  let databases: readonly TestDatabase[] = [];
  let service: ItemProcess | undefined;
  let token: string;

  beforeAll(async () => {
    passport = await FakePassport.start();
    await passport.grant('alice', NS, ['*']);
    const [own, events] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    databases = [own, events];
    service = await ItemProcess.start(itemEnvironment(passport, [own, events], { TELEMETRY_SCRIPT_SECONDS: '30' }));
    token = await passport.token('alice', { expiresIn: 7_200 });
  });
  afterAll(async () => {
    await service?.stop();
    for (const database of databases) await database.drop();
    await passport?.stop();
  });

  async function ask(path: string, body?: unknown): Promise<Response> {
    const answer = await fetch(`${service?.origin}/itemsvc/api/v1/${path}${path.includes('?') ? '&' : '?'}nsfilter=${NS}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
  const made = async (path: string, body: Json): Promise<Json> => ((await (await ask(path, [body])).json()) as Json)._list[0] as Json;
  const item = (itemClass: string, userType: string, more: Json = {}) =>
    made('nameduseritems', { _itemClass: itemClass, _name: userType, _shortName: userType, _userType: userType, _namespaces: [NS], ...more });

  it.each(Object.entries(BOMBS))(`take the limit of each and no more, ${AT_ONCE} requests at once, and the record of the readings names it: %s`, async (name, body) => {
    const process = service as ItemProcess;
    await item('Script', 'normalize', { _version: { _userData: `export default () => { ${body} }` } });
    const sensors = await item('NamedTelemetryCollection', name);
    const path = `nameduseritems/${sensors._id}/relateditems`;
    const sensor = await made(`${path}/bulk`, { _sourceId: 's1' });
    await bindEverything();
    const readings = (n: number) => [{ _ts: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(), _tsMetadata: { _telItemId: sensor._id, _sourceId: 's1' }, value: n }];
    const before = process.residentBytes();
    let peak = 0;
    const timer = setInterval(() => { peak = Math.max(peak, process.residentBytes()); }, LOOK_MS);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => ask(`${path}/readings`, readings(n)))).finally(() => clearInterval(timer));
    expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(204));
    expect(peak - before).toBeLessThan(ENGINES_BYTES + MARGIN_BYTES);
    await eventually(() => expect(process.residentBytes() - before).toBeLessThan(MARGIN_BYTES));
    const errors = ((await (await ask(`telemetry_processing_errors?_pageSize=${AT_ONCE * 3}`)).json()) as Json)._list as Json[];
    expect(errors.filter(({ _userItemDbId: id }) => id === sensors._id).map(({ _message: message }) => message)).toEqual(Array(AT_ONCE).fill('The script needs too much memory'));
  });

  /** One config for all collections of the namespace, made once. */
  let bound: Promise<void> | undefined;
  const bindEverything = () => (bound ??= (async () => {
    const draft = { _name: 'All', _shortName: 'all', _userType: 'telemetry', _namespaces: [NS], _configData: { _bindings: [{ collectionDesc: { _userType: Object.keys(BOMBS) } }], _normalizationScript: { _userType: 'normalize' } } };
    const accepted = await ask('telemetryconfigs', draft);
    const request = new URL(accepted.headers.get('location') as string, 'http://any').pathname;
    await eventually(async () => expect(((await (await fetch(`${service?.origin}${request}`, { headers: { authorization: `Bearer ${token}` } })).json()) as Json)._status).toBe('COMPLETED'));
  })());
});
