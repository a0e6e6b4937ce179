import { get as fetchFrom, type ClientRequest } from 'node:http';
import { once } from 'node:events';
import { FairShare } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import { Client } from 'pg';
import { ITEM_SETTINGS, type ItemSettings } from '../src/config';
import { type Json, OTHER_NS } from './item-service';
import { MALLORY, related, TwoTenants } from './two-tenants';

/** So many that each of the other's requests would take its turn between them. */
const HOSTILE = 40;

/** On PostgreSQL, where a lock holds whoever comes to a table, with its connection in its hand. */
describe('beside a tenant whose requests all wait for its tables', () => {
  let tenants: TwoTenants;
  beforeAll(async () => { tenants = await TwoTenants.start(); });
  beforeEach(() => tenants.renew());
  const database = new Set<Client>();
  afterEach(async () => {
    for (const client of database) await client.end();
    database.clear();
  });
  afterAll(() => tenants.items.stop());

  /** Whoever reads or writes their items waits, with a connection in its hand, until it is told to go on. */
  async function standstill(held: readonly Json[] = [tenants.theirs]): Promise<() => Promise<unknown>> {
    const client = new Client({ connectionString: tenants.items.part<ItemSettings>(ITEM_SETTINGS as never).DATABASE_URL });
    await client.connect();
    database.add(client);
    const ids = held.map(({ _id }) => `%${_id}%`);
    const { rows } = await client.query<{ name: string }>(`select table_name as name from information_schema.tables where table_name like any ($1) and table_name like 'doc_%'`, [ids]);
    await client.query(`begin; lock table ${rows.map(({ name }) => `"${name}"`).join(', ')} in access exclusive mode`);
    return () => client.query('rollback');
  }

  const regexes = { $or: Array.from({ length: 1_000 }, (_, n) => ({ text: { $regex: `^wall ${n}` } })) };
  const lists = { $or: Array.from({ length: 10 }, (_, list) => ({ code: { $in: Array.from({ length: 10_000 }, (_, n) => `${list}.${n}`) } })) };
  const searchFor = (query: Json) => () => tenants.items.post('nameduseritems/search', { $findWithRelated: { parent: { collectionDesc: { _id: tenants.theirs._id }, query } } }, MALLORY);

  it.each([
    ['a thousand regular expressions in each of many searches', () => searchFor(regexes)],
    ['a hundred thousand values in each of many searches', () => searchFor(lists)],
    ['many lists', () => () => tenants.items.get(related(tenants.theirs), MALLORY)],
    ['many writes into one collection', () => () => tenants.items.post(related(tenants.theirs), [{ n: 1 }], MALLORY)],
  ])('all simple requests are answered: %s', async (_, asking) => {
    const goOn = await standstill();
    const ask = asking();
    let [settled, isOver] = [0, false];
    const hostile = Array.from({ length: HOSTILE }, async () => {
      // A regular expression that waits takes too long (contract 0.1): it comes again, for as long as the others ask.
      let answer = await ask();
      while (!isOver && answer.status === 400) answer = await ask();
      settled += 1;
      return answer;
    });
    await tenants.expectProgress();
    expect(settled).toBe(0);
    isOver = true;
    await goOn();
    const statuses = new Set((await Promise.all(hostile)).map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 201, 400].includes(status))).toEqual([]);
  });

  it('all simple requests are answered: searches whose callers went away, and came again', async () => {
    const goOn = await standstill();
    const places = tenants.items.part(FairShare);
    const { url, token } = await tenants.items.address('nameduseritems/search', MALLORY);
    const body = JSON.stringify({ $findWithRelated: { parent: { collectionDesc: { _id: tenants.theirs._id } } } });
    for (let round = 1; round <= 8; round += 1) {
      const leaving = new AbortController();
      const gone = Array.from({ length: 5 }, () => fetch(url, { method: 'POST', signal: leaving.signal, body, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } }));
      await eventually(() => expect(places.running + places.waiting).toBe(5 * round));
      leaving.abort();
      expect((await Promise.allSettled(gone)).map(({ status }) => status)).toEqual(gone.map(() => 'rejected'));
    }
    await tenants.expectProgress();
    await goOn();
    await eventually(() => expect([places.running, places.waiting]).toEqual([0, 0]));
  });

  it('all simple requests are answered: readings of sensors that are looked for in many collections', async () => {
    const collections: Json[] = [];
    for (let n = 0; n < 6; n += 1) collections.push(await tenants.items.item('NamedTelemetryCollection', {}, 'mallory', OTHER_NS));
    const goOn = await standstill(collections);
    const hostile = Array.from({ length: HOSTILE }, (_, n) => tenants.items.post('readings', [{ _telItemId: `sensor ${n}`, _ts: '2026-01-31T12:00:00Z' }], MALLORY));
    await tenants.expectProgress();
    await goOn();
    expect((await Promise.all(hostile)).filter(({ status }) => ![200, 400].includes(status))).toEqual([]);
  });

  it('exports find a place, though all that may stand still do', async () => {
    const goOn = await standstill();
    const { url, token } = await tenants.items.address(`${related(tenants.theirs)}/export`, MALLORY);
    const stalled: ClientRequest[] = Array.from({ length: 8 }, () => fetchFrom(url, { headers: { authorization: `Bearer ${token}` } }).on('error', () => undefined));
    const refused = await Promise.race(stalled.map(async (request) => ((await once(request, 'response')) as [{ statusCode: number }])[0].statusCode));
    expect(refused).toBe(429);
    expect((await tenants.items.get(`${related(tenants.mine)}/export`)).text).toContain('"one"');
    await tenants.expectProgress();
    stalled.forEach((request) => request.destroy());
    await goOn();
    await eventually(async () => expect((await tenants.items.get(`${related(tenants.theirs)}/export`, MALLORY)).status).toBe(200));
  });
});
