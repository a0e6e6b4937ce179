import { randomBytes } from 'node:crypto';
import type { Tx, UnitOfWork } from '@twinyard/service-kit';
import { DataKeyGone, DataKeyInUse, type DataKeyStore, type DataKeyUses } from '../src';

export interface UsesUnderTest<T extends Tx> {
  readonly store: DataKeyStore<T>;
  readonly uses: DataKeyUses<T>;
  readonly unitOfWork: UnitOfWork<T>;
}

/** What every store says of the keys that are in use. */
export function describeDataKeyUses<T extends Tx>(name: string, open: () => Promise<UsesUnderTest<T>>): void {
  describe(`data key uses: ${name}`, () => {
    let under: UsesUnderTest<T>;
    beforeAll(async () => {
      under = await open();
    });
    const newKey = async () => {
      const id = randomBytes(12).toString('base64url');
      await under.unitOfWork.run((tx) => under.store.insertIfAbsent(tx, { id, namespace: `house_${id.slice(0, 8)}`, version: 1, wrapped: 'wrapped' }));
      return id;
    };
    const hold = (keyId: string, holder: string) => under.unitOfWork.run((tx) => under.uses.hold(tx, { keyId, holder }));
    const release = (keyIds: readonly string[], holder: string) => under.unitOfWork.run((tx) => under.uses.release(tx, keyIds, holder));
    const remove = (id: string) => under.unitOfWork.run((tx) => under.store.remove(tx, id));

    it('keep a key from being removed until the last is taken back', async () => {
      const key = await newKey();
      for (const holder of ['a', 'a', 'b']) await hold(key, holder);
      await expect(remove(key)).rejects.toThrow(DataKeyInUse);
      await release([key], 'a');
      await expect(remove(key)).rejects.toThrow(DataKeyInUse);
      await release([key], 'b');
      expect(await remove(key)).toBe(true);
    });

    it('are not to be had of a key that is gone', async () => {
      const key = await newKey();
      await remove(key);
      await expect(hold(key, 'a')).rejects.toThrow(DataKeyGone);
      expect(await under.uses.list([key], undefined, 10)).toEqual([]);
    });

    it('go with the transaction that they were made in', async () => {
      const key = await newKey();
      await expect(under.unitOfWork.run(async (tx) => {
        await under.uses.hold(tx, { keyId: key, holder: 'a' });
        throw new Error('stopped');
      })).rejects.toThrow('stopped');
      expect(await remove(key)).toBe(true);
    });

    it('either keep the key or come too late, when both happen at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const key = await newKey();
        const [held, removed] = await Promise.allSettled([hold(key, 'a'), remove(key)]);
        expect([held.status, removed.status].sort()).toEqual(['fulfilled', 'rejected']);
        expect(await under.uses.list([key], undefined, 10)).toHaveLength(held.status === 'fulfilled' ? 1 : 0);
      }
    });

    it('are listed by their holders, in steps', async () => {
      const [one, two] = [await newKey(), await newKey()];
      for (const holder of ['c', 'a', 'b']) await hold(one, holder);
      await hold(two, 'bb');
      expect((await under.uses.list([one, two], undefined, 2)).map(({ holder }) => holder)).toEqual(['a', 'b']);
      expect(await under.uses.list([one, two], 'b', 10)).toEqual([{ keyId: two, holder: 'bb' }, { keyId: one, holder: 'c' }]);
      expect(await under.uses.list([two], 'bb', 10)).toEqual([]);
    });
  });
}
