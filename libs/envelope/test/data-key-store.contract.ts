import { randomBytes } from 'node:crypto';
import type { Tx, UnitOfWork } from '@twinyard/service-kit';
import { type DataKeyRecord, DataKeyInUse, type DataKeyStore } from '../src';

export interface StoreUnderTest<T extends Tx> {
  readonly store: DataKeyStore<T>;
  readonly unitOfWork: UnitOfWork<T>;
  /** Puts a ciphertext under a key, as a service's records do. */
  use(keyId: string): Promise<void>;
}

const newId = () => randomBytes(12).toString('base64url');
const keyOf = (namespace: string, version = 1): DataKeyRecord => ({ id: newId(), namespace, version, wrapped: `wrapped ${newId()}` });
const newNamespace = () => `house_${randomBytes(4).toString('hex')}`;

/** What every store of data keys does. */
export function describeDataKeyStore<T extends Tx>(name: string, open: () => Promise<StoreUnderTest<T>>): void {
  describe(`data key store: ${name}`, () => {
    let under: StoreUnderTest<T>;
    beforeAll(async () => {
      under = await open();
    });
    const insert = (key: DataKeyRecord) => under.unitOfWork.run((tx) => under.store.insertIfAbsent(tx, key));
    const remove = (id: string) => under.unitOfWork.run((tx) => under.store.remove(tx, id));

    it('finds a key by its id, and those of a namespace with the newest first', async () => {
      const namespace = newNamespace();
      const keys = [keyOf(namespace), keyOf(namespace, 2), keyOf(namespace, 10)];
      for (const key of [...keys, keyOf(newNamespace())]) expect(await insert(key)).toBe(true);
      expect(await under.store.find(keys[1]?.id ?? '')).toEqual(keys[1]);
      expect(await under.store.find('no such key')).toBeUndefined();
      expect(await under.store.listOf(namespace)).toEqual([...keys].reverse());
      expect(await under.store.listOf('nobody_12345678')).toEqual([]);
    });

    it('keeps one key of a version, however many make it at once', async () => {
      const namespace = newNamespace();
      const made = await Promise.all(Array.from({ length: 4 }, async () => insert(keyOf(namespace))));
      expect(made.filter(Boolean)).toHaveLength(1);
      expect(await under.store.listOf(namespace)).toHaveLength(1);
    });

    it('forgets a key whose transaction fails', async () => {
      const key = keyOf(newNamespace());
      const failing = under.unitOfWork.run(async (tx) => {
        await under.store.insertIfAbsent(tx, key);
        throw new Error('stopped');
      });
      await expect(failing).rejects.toThrow('stopped');
      expect(await under.store.find(key.id)).toBeUndefined();
    });

    it('replaces a wrapping that is still what it was taken for', async () => {
      const key = keyOf(newNamespace());
      await insert(key);
      const replace = (before: DataKeyRecord, wrapped: string) => under.unitOfWork.run((tx) => under.store.replaceWrapped(tx, before, wrapped));
      expect(await replace(key, 'anew')).toBe(true);
      expect(await replace(key, 'again')).toBe(false);
      expect((await under.store.find(key.id))?.wrapped).toBe('anew');
    });

    it('lists all keys in steps, each once', async () => {
      for (let count = 0; count < 5; count += 1) await insert(keyOf(newNamespace()));
      const ids: string[] = [];
      for (let step = await under.store.list(undefined, 2); step.length > 0; step = await under.store.list(step.at(-1)?.id, 2)) {
        expect(step.length).toBeLessThanOrEqual(2);
        ids.push(...step.map(({ id }) => id));
      }
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThanOrEqual(5);
      expect((await under.store.list(undefined, 1_000)).map(({ id }) => id)).toEqual(ids);
    });

    it('removes a key that nothing lies under, once, and no other', async () => {
      const [free, used] = [keyOf(newNamespace()), keyOf(newNamespace())];
      for (const key of [free, used]) await insert(key);
      await under.use(used.id);
      expect([await remove(free.id), await remove(free.id)]).toEqual([true, false]);
      await expect(remove(used.id)).rejects.toThrow(DataKeyInUse);
      expect(await under.store.find(used.id)).toEqual(used);
    });
  });
}
