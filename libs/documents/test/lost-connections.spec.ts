import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import { PostgresDocumentStore, type StoredDocument, versionOf } from '../src';

const unavailable = { status: 503, code: 'unavailable' };

/** A connection may go while it waits for its owner and not for the server, which nobody but the driver hears of. */
describe('a connection that is lost in the middle', () => {
  const target = versionOf('things', 'v');
  let database: TestDatabase;
  let store: PostgresDocumentStore;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = await PostgresDocumentStore.open({ url: database.url });
    await store.createCollection('things');
    const documents = Array.from({ length: 1_200 }, (_, n) => ({ _id: `${n}`, n }));
    await store.transaction((tx) => store.insertMany(tx, target, documents));
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  const loseConnections = async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const ended = 'SELECT pg_terminate_backend(pid, 10000) AS ended FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    expect((await client.query<{ ended: boolean }>(ended)).rows).toContainEqual({ ended: true });
    await client.end();
  };

  it('of a transaction makes that unavailable, leaves nothing of it, and ends nothing else', async () => {
    const work = store.transaction(async (tx) => {
      await store.insertMany(tx, target, [{ _id: 'late', n: -1 }]);
      await loseConnections();
      // Its end is heard of before the next statement.
      await new Promise(setImmediate);
      await store.insertMany(tx, target, [{ _id: 'later', n: -2 }]);
    });
    await expect(work).rejects.toMatchObject(unavailable);
    expect(await store.count(target, { n: { $lt: 0 } })).toBe(0);
  });

  it('of a snapshot ends its streams as unavailable, and nothing else', async () => {
    const snapshot = await store.snapshot();
    const read = async () => {
      const found: StoredDocument[] = [];
      for await (const documents of snapshot.documents(target, {})) {
        if (found.length === 0) await loseConnections();
        found.push(...documents);
      }
      return found;
    };
    await expect(read()).rejects.toMatchObject(unavailable);
    await snapshot.close();
    expect(await store.count(target, {})).toBe(1_200);
  });
});
