import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import { PostgresDocumentStore, versionOf } from '../src';
import { parseFilter } from '../src/filter/parser';
import { compileFilter } from '../src/postgres/filter-compiler';
import { Statement } from '../src/postgres/statement';

/** What the planner does with the SQL of a filter: the names of the indexes in its plan. */
describe('queries use indexes', () => {
  let database: TestDatabase;
  let store: PostgresDocumentStore;
  let client: Client;
  const target = versionOf('many', 'v');
  const indexes = ['n', 'p.val'].map((path) => ({ path: path.split('.') }));

  beforeAll(async () => {
    database = await createTestDatabase();
    store = await PostgresDocumentStore.open({ url: database.url });
    client = new Client({ connectionString: database.url });
    await client.connect();
    await store.createCollection('many', { indexAllFields: true, indexes: [{ key: { n: 1 }, options: { name: 'n' } }, { key: { 'p.val': 1 }, options: { name: 'val' } }] });
    const documents = Array.from({ length: 20_000 }, (_, index) => ({ _id: `${index}`, n: index, k: `k${index}`, p: { val: index } }));
    await store.transaction((tx) => store.insertMany(tx, target, documents));
    await client.query('vacuum analyze "doc_many"');
  });
  afterAll(async () => {
    await client?.end();
    await store?.close();
    await database?.drop();
  });

  const planOf = async (filter: Record<string, unknown>) => {
    const statement = new Statement();
    const part = statement.bind(target.partition);
    const where = compileFilter(statement, parseFilter(filter).condition, { document: 'doc', isRow: true, indexes });
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain select doc from "doc_many" where part = ${part} and ${where}`, statement.parameters);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  it.each([
    ['a range', { n: { $gt: 10, $lt: 20 } }, /doc_index_1/],
    ['a range under a dotted path', { 'p.val': { $gte: 19_990 } }, /doc_index_2/],
    ['equality on an indexed path', { n: 5 }, /doc_index_1|doc_many_doc_idx/],
    ['a list on an indexed path', { n: { $in: [5, 7] } }, /doc_index_1|doc_many_doc_idx/],
    ['equality anywhere', { k: 'k17' }, /doc_many_doc_idx/],
    ['an id', { _id: '17' }, /doc_many_pkey/],
    ['a list of ids', { _id: { $in: ['1', '2'] } }, /doc_many_pkey/],
  ])('%s', async (_what, filter, index) => {
    expect(await planOf(filter)).toMatch(index);
  });

  it('and without an index reads the version', async () => {
    expect(await planOf({ k: { $ne: 'x' } })).not.toMatch(/doc_index_|doc_many_doc_idx/);
  });
});
