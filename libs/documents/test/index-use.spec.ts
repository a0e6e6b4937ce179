import type { SqlTx } from '@twinyard/service-kit';
import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { Client, Pool, type QueryConfig } from 'pg';
import { PostgresDocumentStore, systemCollection, type TargetedQuery, versionOf } from '../src';
import { parseFilter } from '../src/filter/parser';
import { compileFilter } from '../src/postgres/filter-compiler';
import { Statement } from '../src/postgres/statement';
import { textMatch } from '../src/postgres/text-search';

/** The third index of the collection and those behind it. */
const MORE: Readonly<Record<string, Readonly<Record<string, 1 | -1 | 'text'>>>> = {
  compound: { building: 1, floor: -1 }, descending: { down: -1 }, array: { tags: 1 }, text: { words: 'text' },
};

/** What the planner does with the SQL of a filter: the names of the indexes in its plan. */
describe('queries use indexes', () => {
  let database: TestDatabase;
  let store: PostgresDocumentStore;
  let client: Client;
  const target = versionOf('many', 'v');
  const indexes = ['n', 'p.val', 'building', 'down', 'tags'].map((path) => ({
    path: path.split('.'), spec: { key: Object.values(MORE).find((key) => Object.keys(key)[0] === path) ?? { [path]: 1 as const }, options: { name: path } },
  }));

  beforeAll(async () => {
    database = await createTestDatabase();
    store = await PostgresDocumentStore.open({ url: database.url });
    client = new Client({ connectionString: database.url });
    await client.connect();
    await store.createCollection('many', { indexAllFields: true, indexes: [{ key: { n: 1 }, options: { name: 'n' } }, { key: { 'p.val': 1 }, options: { name: 'val' } }] });
    for (const [name, key] of Object.entries(MORE)) await store.createIndex('many', { key, options: { name } });
    const documents = Array.from({ length: 20_000 }, (_, index) => ({
      _id: `${index}`, n: index, k: `k${index}`, p: { val: index }, building: `b${index % 4_000}`, floor: index % 5, down: index, tags: [`t${index}`, `u${index % 7}`], words: `wall number${index}`,
    }));
    await store.transaction((tx) => store.insertMany(tx, target, documents));
    await client.query('vacuum analyze "doc_many"');
  });
  afterAll(async () => {
    await client?.end();
    await store?.close();
    await database?.drop();
  });

  const text = { key: MORE['text'] ?? {}, options: { name: 'text' } };
  const planOf = async (filter: Record<string, unknown>) => {
    const statement = new Statement();
    const part = statement.bind(target.partition);
    const where = compileFilter(statement, parseFilter(filter).condition, { document: 'doc', isRow: true, indexes, textMatch: (search) => textMatch(statement, text, { document: 'doc', bytes: 'bytes' }, search) });
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain select doc from "doc_many" where part = ${part} and ${where}`, statement.parameters);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  it.each([
    ['a range', { n: { $gt: 10, $lt: 20 } }, /doc_index_1/],
    ['a range under a dotted path', { 'p.val': { $gte: 19_990 } }, /doc_index_2/],
    ['equality on an indexed path', { n: 5 }, /doc_index_1|doc_many_doc_idx/],
    ['a list on an indexed path', { n: { $in: [5, 7] } }, /doc_index_1|doc_many_doc_idx/],
    ['the first path of a compound index', { building: 'b17', floor: { $gt: 2 } }, /doc_index_3/],
    ['a text that is too long for the index', { building: 'b'.repeat(5_000) }, /doc_index_3/],
    ['a list of texts, one of them too long for the index', { building: { $in: ['b17', 'b'.repeat(5_000)] } }, /doc_index_3|doc_many_doc_idx/],
    ['a range of a descending index', { down: { $gte: 19_990 } }, /doc_index_4/],
    ['an element of an array', { tags: 't17' }, /doc_index_5|doc_many_doc_idx/],
    ['words', { $text: { $search: 'number17' } }, /doc_index_6/],
    ['equality anywhere', { k: 'k17' }, /doc_many_doc_idx/],
    ['an id', { _id: '17' }, /doc_many_pkey/],
    ['a list of ids', { _id: { $in: ['1', '2'] } }, /doc_many_pkey/],
  ])('%s', async (_what, filter, index) => {
    expect(await planOf(filter)).toMatch(index);
  });

  /** Of the statement that the store itself sends. */
  const planWhile = async (ask: () => Promise<unknown>, how = '') => {
    const sent = jest.spyOn(Pool.prototype, 'query');
    await ask();
    const [{ text: sql, values }] = (sent.mock.calls as unknown as [QueryConfig<unknown[]>][]).at(-1) as [QueryConfig<unknown[]>];
    sent.mockRestore();
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${how} ${sql}`, values);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  it('a page far behind the first passes over what lies before it in the index of the order alone', async () => {
    const plan = await planWhile(() => store.page({ target, skip: 15_000, limit: 10 }));
    expect(plan).toMatch(/Index Only Scan using doc_many_part_seq_idx/);
    expect(plan).toMatch(/Index Cond: .*seq >=/);
  });

  it('a sorted page becomes text behind its limit, not each row that is sorted', async () => {
    const plan = await planWhile(() => store.page({ target, filter: { 'p.val': { $gt: 19_000 } }, sort: { k: -1 }, limit: 10 }), 'verbose');
    const [above = '', below = ''] = plan.split(/-> +Limit/, 2);
    expect(above).toContain('doc)::text');
    expect(below).toMatch(/-> +Sort/);
    expect(below).not.toContain('doc)::text');
  });

  it.each([1, -1] as const)('a page in the order of ids (%i), whatever else it is sorted by behind them, is read from the index of ids', async (direction) => {
    const plan = await planWhile(() => store.page({ target, sort: { _id: direction, k: 1 }, limit: 10 }));
    expect(plan).toMatch(direction === 1 ? /Index Scan using doc_many_pkey/ : /Index Scan Backward using doc_many_pkey/);
    expect(plan).not.toMatch(/Sort/);
  });

  it('a document that is named is looked up by its id and by nothing else, whatever else is asked of it', async () => {
    const plan = await planWhile(() => store.page({ target, filter: { _id: '17', n: 17, k: 'k17' }, limit: 1 }, { target, filter: { _id: '18', building: 'b18' }, limit: 1 }));
    expect(plan.match(/Index Scan using doc_many_pkey/g)).toHaveLength(2);
    expect(plan).not.toMatch(/Sort|Limit|Aggregate|doc_index_|doc_many_doc_idx/);
  });

  it('is looked up by a statement that its connection keeps planned, also where the collection is made anew; lists are planned each time', async () => {
    const alone = await PostgresDocumentStore.open({ url: database.url, maxConnections: 1 });
    const other = versionOf('again', 'v');
    const refill = async (_id: string) => {
      await alone.createCollection('again');
      await alone.transaction((tx) => alone.insertMany(tx, other, [{ _id }]));
    };
    const get = (_id: string) => alone.page({ target: other, filter: { _id }, limit: 1 }, { target, filter: { _id: '18', k: 'k18' }, limit: 1 });
    try {
      await refill('a');
      for (let time = 0; time < 8; time += 1) expect(await get('a')).toMatchObject({ list: '{"_id": "a"}', count: 1, total: 1, beside: [{ _id: '18' }] });
      await alone.dropCollection('again');
      await refill('b');
      expect(await get('a')).toMatchObject({ list: '', count: 0, total: 0, beside: [{ _id: '18' }] });
      expect(await get('b')).toMatchObject({ list: '{"_id": "b"}', count: 1 });
      await alone.page({ target: other, limit: 1 });
      const kept = await alone.transaction((tx) => (tx as SqlTx).query(`select generic_plans > 0 as reused, statement from pg_prepared_statements where statement like 'select%'`));
      expect(kept).toEqual([{ reused: true, statement: expect.stringContaining('union all') as string }]);
    } finally {
      await alone.dropCollection('again');
      await alone.close();
    }
  });

  it('what is linked to a page is found by the indexes of links and ids, and put together by hashes', async () => {
    const links = systemCollection('links');
    await store.createCollection('links', { indexes: [{ key: { from: 1 }, options: { name: 'from', isShort: true } }] });
    const documents = Array.from({ length: 6_000 }, (_, n) => ({ _id: `l${n}`, from: `v:${n}`, toItem: 'many', toVersion: 'v', toId: `${(n * 7) % 20_000}` }));
    await store.transaction((tx) => store.insertMany(tx, links, documents));
    await client.query('vacuum analyze "doc_links"');
    const wanted: TargetedQuery = { target, limit: 1_000 };
    const term = { links: { in: links, near: { field: 'from', prefix: 'v:' }, far: { owner: 'toItem', partition: 'toVersion', id: 'toId' } }, targets: [{ owner: 'many', name: 'many', filter: { k: { $ne: 'k7' } } }] };
    const plan = await planWhile(() => store.linkedPage(wanted, { every: true, terms: [term, term] }));
    expect(plan.match(/Index Scan using doc_index_7 on doc_links/g)).toHaveLength(2);
    expect(plan.match(/Index Cond: \(\(part = ANY .* AND \(id = ANY/g)).toHaveLength(2);
    expect(plan).not.toMatch(/Join Filter|Semi Join/);
    // The same index that knows the owner too leads past the links to others.
    await store.dropIndex('links', 'from');
    await store.createIndex('links', { key: { from: 1, toItem: 1 }, options: { name: 'both', isShort: true } });
    await client.query('vacuum analyze "doc_links"');
    const ofBoth = /Index Cond: .*'\{from\}'.* AND .*'\{toItem\}'/g;
    expect((await planWhile(() => store.linkedPage(wanted, { every: true, terms: [term, term] }))).match(ofBoth)).toHaveLength(2);
    const names = documents.slice(0, 1_000).map(({ from }) => from);
    expect((await planWhile(() => store.links({ in: links, near: { field: 'from', names }, far: term.links.far, owners: ['many'], limit: 5_000 }))).match(ofBoth)).toHaveLength(1);
  });

  it('and without an index reads the version', async () => {
    expect(await planOf({ k: { $ne: 'x' } })).not.toMatch(/doc_index_|doc_many_doc_idx/);
  });
});
