import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { PostgresDocumentStore, versionOf } from '../src';

/** Two stores on one database, as two replicas of a service have them: what one changes the other must not answer from memory. */
describe('two processes on one database', () => {
  const target = versionOf('shared', 'v');
  let database: TestDatabase;
  let one: PostgresDocumentStore;
  let other: PostgresDocumentStore;

  beforeAll(async () => {
    database = await createTestDatabase();
    [one, other] = await Promise.all([PostgresDocumentStore.open({ url: database.url }), PostgresDocumentStore.open({ url: database.url })]);
    await one.createCollection('shared');
    await one.transaction((tx) => one.insertMany(tx, target, [{ _id: 'a', name: 'a north wall', note: 'a door' }]));
  });
  afterAll(async () => {
    await Promise.all([one?.close(), other?.close()]);
    await database?.drop();
  });

  const found = async (store: PostgresDocumentStore, $search: string) => (await store.find(target, { filter: { $and: [{ $text: { $search } }] }, limit: 10 })).map(({ _id }) => _id);

  it('both know a text index that one of them has just made, changed or dropped', async () => {
    await other.find(target, { filter: {}, limit: 1 });
    await one.createIndex('shared', { key: { name: 'text' }, options: { name: 'words' } });
    expect(await found(other, 'wall')).toEqual(['a']);
    await one.dropIndex('shared', 'words');
    await expect(found(other, 'wall')).rejects.toMatchObject({ code: 'invalid', message: '$text needs a text index' });
    await one.createIndex('shared', { key: { note: 'text' }, options: { name: 'words' } });
    expect([await found(other, 'wall'), await found(other, 'door')]).toEqual([[], ['a']]);
  });

  it('both find what they should by an index that one of them has just dropped', async () => {
    await one.createIndex('shared', { key: { name: 1 }, options: { name: 'by_name' } });
    const ask = () => other.count(target, { name: 'a north wall' });
    expect(await ask()).toBe(1);
    await one.dropIndex('shared', 'by_name');
    expect(await ask()).toBe(1);
  });
});
