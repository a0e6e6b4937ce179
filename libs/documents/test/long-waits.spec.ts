import type { SqlTx } from '@twinyard/service-kit';
import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { PostgresDocumentStore, versionOf } from '../src';

const LOCKS = versionOf('locks', 'v1');
const DOCUMENT = { _id: 'one', turn: '' };

describe('a change that waits for another one of the same document', () => {
  let database: TestDatabase;
  let store: PostgresDocumentStore;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = await PostgresDocumentStore.open({ url: database.url });
    await store.createCollection(LOCKS.name);
    await store.transaction((tx) => store.insertMany(tx, LOCKS, [DOCUMENT]));
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  it('is told to come again when that takes too long, and is no fault of the service', async () => {
    let release = () => undefined as void;
    let isHeld = () => undefined as void;
    const [held, released] = [new Promise<void>((resolve) => (isHeld = resolve)), new Promise<void>((resolve) => (release = resolve))];
    const first = store.transaction(async (tx) => {
      await store.replaceMany(tx, LOCKS, [DOCUMENT]);
      isHeld();
      await released;
    });
    await held;
    const second = store.transaction(async (tx) => {
      await (tx as unknown as SqlTx).query(`select set_config('statement_timeout', '50', true)`);
      await store.replaceMany(tx, LOCKS, [DOCUMENT]);
    });
    await expect(second).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
    release();
    await first;
  });
});
