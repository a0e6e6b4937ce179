import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { PostgresDocumentStore, versionOf } from '../src';

/** Whoever holds a connection and waits for another waits for ever, where all others do the same. */
describe('a store with few connections', () => {
  const target = versionOf('things', 'v');
  /** Several times what a cursor fetches, so that it is at the next rows when its reader leaves. */
  const COUNT = 1_200;
  let database: TestDatabase;
  let store: PostgresDocumentStore;
  const open = (maxConnections: number) => PostgresDocumentStore.open({ url: database.url, maxConnections });

  beforeAll(async () => {
    database = await createTestDatabase();
    store = await open(2);
    await store.createCollection('things');
    await store.transaction((tx) => store.insertMany(tx, target, Array.from({ length: COUNT }, (_, n) => ({ _id: `${n}`, n }))));
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  it('serves more streams that end early than it has connections', async () => {
    const first = () => store.aggregate(target, [{ $set: { one: 1 } }, { $limit: 1 }]);
    expect(await Promise.all(Array.from({ length: 6 }, first))).toEqual(Array.from({ length: 6 }, () => [{ _id: '0', n: 0, one: 1 }]));
    const snapshots = await Promise.all([store.snapshot(), store.snapshot()]);
    for (const snapshot of snapshots) expect((await snapshot.documents(target, {}).next()).done).toBe(false);
    await Promise.all(snapshots.map((snapshot) => snapshot.close()));
    expect(await store.count(target, {})).toBe(COUNT);
  });

  it('gives none to a pipeline that is refused before it reads', async () => {
    for (let round = 0; round < 3; round += 1) {
      await expect(store.aggregate(target, [{ $skip: 0 }, { $bucket: { groupBy: '$n', boundaries: [5, 1] } }])).rejects.toMatchObject({ status: 400, code: 'invalid' });
    }
    expect(await store.count(target, {})).toBe(COUNT);
  });

  it('tells a snapshot of its indexes on the connection that it holds', async () => {
    const single = await open(1);
    try {
      const snapshot = await single.snapshot();
      let found = 0;
      for await (const part of snapshot.documents(target, { filter: { n: { $gte: 200 } } })) found += part.length;
      await snapshot.close();
      expect(found).toBe(COUNT - 200);
    } finally {
      await single.close();
    }
  });

  it('reads on from fetch to fetch, each of which has its limit', async () => {
    const snapshot = await store.snapshot();
    let found = 0;
    for await (const part of snapshot.documents(target, { filter: { _id: { $regex: '^[0-9]+$' } }, skip: 1, limit: 1_100 })) found += part.length;
    await snapshot.close();
    expect(found).toBe(1_100);
  });

  it('that is closed is no fault of a pipeline', async () => {
    const gone = await open(1);
    await gone.close();
    for (const pipeline of [[{ $set: { one: 1 } }], [{ $count: 'n' }]]) await expect(gone.aggregate(target, pipeline)).rejects.not.toMatchObject({ status: 400 });
  });

  it('does not take what a snapshot tells of its indexes for what there is now', async () => {
    const snapshot = await store.snapshot();
    await store.createIndex(target.name, { key: { n: 1 }, options: { name: 'once', unique: true } });
    expect((await snapshot.documents(target, {}).next()).done).toBe(false);
    await snapshot.close();
    // Which goes another way where an index is unique.
    await store.transaction((tx) => store.replaceMany(tx, target, [{ _id: '0', n: 1 }, { _id: '1', n: 0 }]));
    expect(await store.find(target, { limit: 2 })).toEqual([{ _id: '0', n: 1 }, { _id: '1', n: 0 }]);
  });
});
