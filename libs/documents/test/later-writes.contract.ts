import { type DocumentStore, type DocumentTx, versionOf } from '../src';
import type { MakeStore } from './document-store.contract';

/** Every adapter passes this: writes of which nobody waits for the answer. */
export function describeLaterWrites(name: string, makeStore: MakeStore): void {
  describe(`later writes: ${name}`, () => {
    const target = versionOf('later', 'v1');
    let store: DocumentStore;
    let close: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      ({ store, close } = await makeStore());
      await store.createCollection(target.name);
    });
    afterAll(() => close?.());

    it('writes what nobody waits for before whatever comes next, at the commit at the latest, and commits nothing when that fails', async () => {
      await store.transaction((tx) => store.insertMany(tx, target, [{ _id: 'a', n: 1 }]));
      await store.transaction(async (tx) => {
        await store.insertLater(tx, target, [{ _id: 'b', n: 2 }]);
        await store.replaceLater(tx, target, { _id: 'a', n: 3 });
        await store.replaceLater(tx, target, { _id: 'nowhere', n: 4 });
        expect(await store.find(target, { limit: 9 }, tx)).toEqual([{ _id: 'a', n: 3 }, { _id: 'b', n: 2 }]);
        await store.replaceLater(tx, target, { _id: 'b', n: 5 });
      });
      expect(await store.find(target, { limit: 9 })).toEqual([{ _id: 'a', n: 3 }, { _id: 'b', n: 5 }]);
    });

    it.each<[string, (tx: DocumentTx) => Promise<unknown>]>([
      ['the commit', async () => undefined],
      ['a question', (tx) => store.find(target, { limit: 9 }, tx)],
      ['a write', (tx) => store.insertMany(tx, target, [{ _id: 'e' }])],
      ['one that was to wait too', (tx) => store.insertLater(tx, target, [{ _id: 'e' }])],
    ])('says of one that is refused what it would have said at once, with %s', async (_what, next) => {
      await store.transaction((tx) => store.insertMany(tx, target, [{ _id: 'd' }])).catch(() => undefined);
      const before = await store.count(target, {});
      await expect(store.transaction(async (tx) => {
        await store.insertMany(tx, target, [{ _id: 'c' }]);
        await store.insertLater(tx, target, [{ _id: 'd' }]);
        await next(tx);
      })).rejects.toMatchObject({ code: 'conflict', status: 409, message: expect.stringContaining('"d"') as string });
      expect(await store.count(target, {})).toBe(before);
    });
  });
}
