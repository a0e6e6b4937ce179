import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import { PostgresDocumentStore, versionOf, type StoredDocument } from '../src';

/** What docs/operations/document-stores.md says of indexes on PostgreSQL. */
describe('indexes on PostgreSQL', () => {
  let database: TestDatabase;
  let store: PostgresDocumentStore;
  const target = versionOf('bounded', 'v');
  const insert = (...documents: StoredDocument[]) => store.transaction((tx) => store.insertMany(tx, target, documents));

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

  it('refuse what is too long for an entry, and nothing of the request is written', async () => {
    // No text that compresses.
    const long = Array.from({ length: 4_000 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7_919) % 20_000))).join('');
    await expect(insert({ _id: 'short', u: 1, t: 'a' }, { _id: 'long', u: 2, t: long })).rejects.toMatchObject({ status: 400 });
    expect(await store.count(target, {})).toBe(0);
    await insert({ _id: 'elsewhere', u: 2, free: long });
  });

  it('take an array for one value where they are unique, and arrays on two paths', async () => {
    await insert({ _id: 'one', u: [1, 2], a: [1, 2], b: [3, 4] }, { _id: 'other', u: [2, 3] });
    await expect(insert({ _id: 'same', u: [1, 2] })).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.count(target, { u: 1 })).toBe(1);
    expect(await store.count(target, { a: 2, b: 4 })).toBe(1);
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
      const locks = new Client({ connectionString: database.url });
      await locks.connect();
      await eventually(async () => {
        const { rows } = await locks.query<{ n: number }>(`select count(*)::int as n from pg_locks where not granted and relation = '"doc_bounded"'::regclass`);
        expect(rows[0]?.n).toBe(1);
      });
      await locks.end();
      expect(isWritten).toBe(false);
      await client.query('commit');
      await waiting;
      expect(await store.count(target, { _id: 'late' })).toBe(1);
    } finally {
      await client.end();
    }
  });
});
