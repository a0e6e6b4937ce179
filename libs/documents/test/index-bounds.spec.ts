import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import { PostgresDocumentStore, versionOf, type StoredDocument } from '../src';

/** What docs/operations/document-stores.md says of indexes on PostgreSQL. */
describe('indexes on PostgreSQL', () => {
  let database: TestDatabase;
  let store: PostgresDocumentStore;
  const target = versionOf('bounded', 'v');
  const insert = (...documents: StoredDocument[]) => store.transaction((tx) => store.insertMany(tx, target, documents));
  /** How many wait for the table of a collection. */
  const waitingFor = async (name: string) => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ n: number }>('select count(*)::int as n from pg_locks where not granted and relation = $1::regclass', [`"doc_${name}"`]).finally(() => client.end());
    return rows[0]?.n;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    store = await PostgresDocumentStore.open({ url: database.url });
    await store.createCollection(target.name, {
      indexes: [{ key: { t: 1 }, options: { name: 'text' } }, { key: { u: 1 }, options: { name: 'unique', unique: true } }, { key: { a: 1, b: 1 }, options: { name: 'two' } }],
    });
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  it('are made anew where an earlier version has made them, which could not hold long values, and asked from then on', async () => {
    const LONG = Array.from({ length: 4_000 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7_919) % 20_000))).join('');
    const old = versionOf('old', 'v');
    await store.createCollection('old', { indexes: [{ key: { t: 1 }, options: { name: 't' } }, { key: { id: 1 }, options: { name: 'id', isShort: true } }] });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const indexes = async () => (await client.query<{ def: string }>(`select indexdef as def from pg_indexes where tablename = 'doc_old' and indexname like 'doc_index_%' order by indexname`)).rows.map(({ def }) => def);
    try {
      const made = await indexes();
      // As the version before did.
      const { rows } = await client.query<{ id: string }>(`update document_indexes set form = null, spec = (spec::jsonb #- '{options,isShort}')::json where collection = 'old' returning id`);
      await client.query(`drop index "doc_index_${rows[0]?.id}"`);
      await client.query(`create index "doc_index_${rows[0]?.id}" on doc_old (part, (doc #> '{t}'::text[]))`);
      const put = (_id: string) => store.transaction((tx) => store.insertMany(tx, old, [{ _id, t: LONG, id: _id }]));
      await expect(put('a')).rejects.toMatchObject({ status: 400, details: [{ field: 'index' }] });
      await store.createIndex('old', { key: { id: 1 }, options: { name: 'id', isShort: true } });
      const other = await PostgresDocumentStore.open({ url: database.url });
      await Promise.all([store.renewIndexes(), other.renewIndexes()]).finally(() => other.close());
      expect(await indexes()).toEqual(made);
      await put('a');
      expect([await store.count(old, { t: LONG }), await store.listIndexes('old')]).toEqual([1, [{ key: { t: 1 }, options: { name: 't' } }, { key: { id: 1 }, options: { name: 'id', isShort: true } }]]);
    } finally {
      await client.end();
    }
  });

  it('take an array for one value where they are unique, and arrays on two paths', async () => {
    await insert({ _id: 'one', u: [1, 2], a: [1, 2], b: [3, 4] }, { _id: 'other', u: [2, 3] });
    await expect(insert({ _id: 'same', u: [1, 2] })).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.count(target, { u: 1 })).toBe(1);
    expect(await store.count(target, { a: 2, b: 4 })).toBe(1);
  });

  it('hold nothing of a path that goes through an array, and null and a missing field for one elsewhere', async () => {
    await store.createCollection('nested', { indexes: [{ key: { 'u.a': 1, b: 1 }, options: { name: 'nested', unique: true } }] });
    const nested = versionOf('nested', 'v');
    const put = (...documents: StoredDocument[]) => store.transaction((tx) => store.insertMany(tx, nested, documents));
    await put({ _id: '1', u: [{ a: 1 }] }, { _id: '2', u: [{ a: 2 }] }, { _id: '3', u: [] }, { _id: '4', u: { a: 1 } }, { _id: '5', u: { a: null }, b: 1 }, { _id: '6', b: null });
    for (const same of [{ u: 5, b: 1 }, { b: 1 }, { u: { a: 1 }, b: null }, { u: {} }]) await expect(put({ _id: 'same', ...same })).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.count(nested, {})).toBe(6);
  });

  it('answer as no index does where a number in the path is the name of a field in the elements', async () => {
    const paths = ['v.0', 'v.1.b', 'v.-1', 'v.01', 'v. 1'];
    await store.createCollection('numbered', { indexes: paths.map((path) => ({ key: { [path]: 1 as const }, options: { name: path } })) });
    const numbered = versionOf('numbered', 'v');
    const documents = [{ _id: 'place', v: [5, 7] }, { _id: 'name', v: [3, { 0: 5, '-1': 5, '01': 5, ' 1': 5 }] }, { _id: 'both', v: [0, { b: 7, 1: { b: 5 } }] }, { _id: 'last', v: [1, 5] }];
    await store.transaction((tx) => store.insertMany(tx, numbered, documents));
    const found = await Promise.all(paths.map(async (path) => (await store.find(numbered, { filter: { [path]: 5 }, limit: 10 })).map(({ _id }) => _id)));
    expect(found).toEqual([['place', 'name'], ['both'], ['name'], ['name'], ['name']]);
    expect(await store.count(numbered, { 'v.-1': { $in: [7, 5] } })).toBe(1);
    expect(await store.count(numbered, { 'v.0': { $gt: 4, $lt: 6 } })).toBe(2);
  });

  it.each(['v.-1', 'v.01', 'v.+1', 'v. 1'])('no place in an array is meant by %s, though the server takes it for one', async (path) => {
    await store.createCollection('places');
    const places = versionOf('places', path);
    await store.transaction((tx) => store.insertMany(tx, places, [{ _id: 'b', v: [2, 9] }, { _id: 'c', v: [9, 2] }, { _id: 'a', v: { [path.slice(2)]: 3 } }]));
    const ids = async (direction: 1 | -1) => (await store.find(places, { sort: { [path]: direction }, limit: 10 })).map(({ _id }) => _id);
    expect([await ids(1), await ids(-1)]).toEqual([['b', 'c', 'a'], ['a', 'b', 'c']]);
  });

  it('no place in an array is summed up under such a name', async () => {
    await store.createCollection('summed');
    const summed = versionOf('summed', 'v');
    await store.transaction((tx) => store.insertMany(tx, summed, [{ _id: 'a', v: [2, 9] }, { _id: 'b', v: { '-1': 3 } }]));
    expect(await store.aggregate(summed, [{ $group: { _id: null, sum: { $sum: '$v.-1' } } }])).toEqual([{ _id: null, sum: 3 }]);
  });

  it('wait for the writers of their collection, and keep nobody from making, indexing or dropping another', async () => {
    await store.createCollection('written');
    const index = { key: { n: 1 as const }, options: { name: 'n' } };
    let made: Promise<void> | undefined;
    await store.transaction(async (tx) => {
      await store.insertMany(tx, versionOf('written', 'v'), [{ _id: 'a', n: 1 }]);
      made = store.createIndex('written', index);
      await eventually(async () => expect(await waitingFor('written')).toBe(1));
      await store.createCollection('meanwhile', { indexes: [index] });
      await store.dropCollection('meanwhile');
      expect(await waitingFor('written')).toBe(1);
    });
    await made;
    expect(await store.listIndexes('written')).toEqual([index]);
  });

  it('have the writers of their collection wait while they are made, and nobody who reads', async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      // What making an index holds, and no longer than this transaction.
      await client.query('begin');
      await client.query('create index on "doc_bounded" (id)');
      expect(await store.count(target, {})).toBeGreaterThan(0);
      let isWritten = false;
      const waiting = insert({ _id: 'late', u: 99 }).then(() => (isWritten = true));
      await eventually(async () => expect(await waitingFor('bounded')).toBe(1));
      expect(isWritten).toBe(false);
      await client.query('commit');
      await waiting;
      expect(await store.count(target, { _id: 'late' })).toBe(1);
    } finally {
      await client.end();
    }
  });
});
