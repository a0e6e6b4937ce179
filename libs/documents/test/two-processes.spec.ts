import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { allOf, documentsIn, idFilter, parseFilter, PostgresDocumentStore, type TargetedQuery, versionOf } from '../src';

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

  it('gives single documents, and what stands beside them, as the other process has just left them', async () => {
    const users = versionOf('shared', 'users');
    await one.createCollection('others');
    const elsewhere = versionOf('others', 'v');
    await one.transaction(async (tx) => {
      await one.insertMany(tx, users, [{ _id: 'lists', ofWhom: ['Ö', '日本'] }]);
      await one.insertMany(tx, elsewhere, [{ _id: 'a', name: 'of another collection' }]);
    });
    const beside: TargetedQuery = { target: users, filter: allOf(idFilter('lists'), parseFilter({ ofWhom: 'Ö' })), limit: 1 };
    const get = async (target = versionOf('shared', 'v'), id = 'a') => {
      const { list, ...rest } = await other.page({ target, filter: idFilter(id), limit: 1 }, beside);
      return { ...rest, found: documentsIn(list) };
    };
    const before = { count: 1, total: 1, found: [{ _id: 'a', name: 'a north wall', note: 'a door' }], beside: [{ _id: 'lists', ofWhom: ['Ö', '日本'] }] };
    for (let time = 0; time < 3; time += 1) expect(await get()).toEqual(before);
    expect(await get(elsewhere)).toEqual({ ...before, found: [{ _id: 'a', name: 'of another collection' }] });
    expect(await get(versionOf('others', 'w'))).toEqual({ ...before, count: 0, total: 0, found: [] });
    expect(await get(elsewhere, 'it\'s "$1" ü')).toEqual({ ...before, count: 0, total: 0, found: [] });
    await one.transaction((tx) => one.replaceMany(tx, users, [{ _id: 'lists', ofWhom: ['Ö'] }]));
    expect((await get()).beside).toEqual([{ _id: 'lists', ofWhom: ['Ö'] }]);
    await one.transaction((tx) => one.replaceMany(tx, users, [{ _id: 'lists', ofWhom: [] }]));
    expect((await get()).beside).toEqual([]);
    await one.transaction((tx) => one.deleteMany(tx, versionOf('shared', 'v'), idFilter('a')));
    expect(await get()).toEqual({ count: 0, total: 0, found: [], beside: [] });
  });

  it('lets nobody change what others get of it', async () => {
    await one.transaction((tx) => one.insertMany(tx, target, [{ _id: 'b', place: { rooms: ['r'] } }]));
    const ask = async () => (await one.page({ target, filter: idFilter('b'), limit: 1 }, { target, filter: idFilter('b'), limit: 1 })).beside[0] as unknown as { place: { rooms: string[] } };
    expect((await ask()).place).toEqual((await ask()).place);
    const { place } = await ask();
    expect(() => place.rooms.push('s')).toThrow(TypeError);
  });
});
