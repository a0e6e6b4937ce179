import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { documentsIn, PostgresDocumentStore, type StoredDocument, type TargetedQuery, versionOf } from '../src';
import { PgConnection } from '../src/postgres/connection.adapter';

const ANSWER_BYTES = 1024 ** 2;
const COUNT = 20;
/** 7 KB as JSON, and 304 as PostgreSQL writes it. */
const list = Array.from({ length: 1_000 }, () => 1e-300);

describe('documents that PostgreSQL writes at many times what they are stored in', () => {
  const target = versionOf('things', 'v');
  let database: TestDatabase;
  let store: PostgresDocumentStore;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = await PostgresDocumentStore.open({ url: database.url, answerBytes: ANSWER_BYTES });
    await store.createCollection('things');
    const documents = Array.from({ length: COUNT }, (_, n) => ({ _id: `${n}`.padStart(3, '0'), n, list }));
    await store.transaction(async (tx) => {
      await store.insertMany(tx, target, documents);
      await store.readings.upsertMany(tx, target, documents.map(({ n }) => ({ _ts: new Date(n * 1_000).toISOString(), _tsMetadata: { _telItemId: 'i', _sourceId: 's' }, list })));
    });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  /** Characters of the texts that came from the server, of each statement. */
  const spyOnTexts = () => {
    const sizes: number[] = [];
    const read = PgConnection.prototype.read as (...args: unknown[]) => Promise<object[]>;
    jest.spyOn(PgConnection.prototype, 'read').mockImplementation(async function (this: PgConnection, ...args: unknown[]) {
      const rows = await read.apply(this, args);
      sizes.push(JSON.stringify(rows).length);
      return rows as never;
    });
    return sizes;
  };

  it('are refused by what goes out, and cut by it, so that no statement brings more than an answer', async () => {
    const sizes = spyOnTexts();
    await expect(store.find(target, { limit: 100 })).rejects.toMatchObject({ code: 'limit_exceeded' });
    await expect(store.readings.find(target, { limit: 100 })).rejects.toMatchObject({ code: 'limit_exceeded' });
    expect((await store.find(target, { limit: 100, mayBeCut: true })).length).toBe(3);
    expect((await store.readings.find(target, { limit: 100, mayBeCut: true })).length).toBe(3);
    expect((await store.page({ target, limit: 100 })).count).toBe(3);
    expect((await store.textRows({ target, limit: 100 })).rows.length).toBe(3);
    expect(Math.max(...sizes)).toBeLessThan(1.1 * ANSWER_BYTES);
  });

  it('come in streams a few at a time', async () => {
    const snapshot = await store.snapshot();
    const parts: number[] = [];
    for await (const part of snapshot.documents(target, {})) parts.push(part.length);
    await snapshot.close();
    expect(parts).toEqual(Array.from({ length: COUNT }, () => 1));
  });

  it('are whole in a page of which a projection leaves little', async () => {
    const page = await store.page({ target, limit: 100, projection: { n: 1 } });
    expect([documentsIn(page.list).map(({ n }) => n), page.isCut]).toEqual([Array.from({ length: COUNT }, (_, n) => n), undefined]);
  });

  it('do not come where they have left the filter before they are read', async () => {
    const moving = versionOf('things', 'moving');
    const documents = Array.from({ length: 6 }, (_, n): StoredDocument => ({ _id: `${n}`, floor: 1, text: 'x'.repeat(100_000) }));
    await store.transaction((tx) => store.insertMany(tx, moving, documents));
    const read = PgConnection.prototype.read as (...args: unknown[]) => Promise<object[]>;
    const spy = jest.spyOn(PgConnection.prototype, 'read').mockImplementation(async function (this: PgConnection, ...args: unknown[]) {
      if (String(args[0]).includes('with ordinality as page(id, place)')) {
        spy.mockRestore();
        await store.transaction((tx) => store.replaceMany(tx, moving, [{ _id: '3', floor: 2 }]));
        await store.transaction((tx) => store.deleteMany(tx, moving, { _id: '4' }));
      }
      return (await read.apply(this, args)) as never;
    });
    const wanted: TargetedQuery = { target: moving, filter: { floor: 1, text: { $regex: '^x' } }, limit: 100 };
    const page = await store.page(wanted);
    expect([documentsIn(page.list).map(({ _id }) => _id), page.count, page.isCut]).toEqual([['0', '1', '2', '5'], 4, undefined]);
  });
});
