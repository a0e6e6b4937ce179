import { newUuid } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import type { AnswerStore, Tx } from '../src';

export interface AnswerStoreBench {
  readonly store: AnswerStore;
  /** In the database of the answers. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const LONG_AGO = new Date(0);

/** What every `AnswerStore` keeps to, whatever it stands on. */
export function describeAnswerStore(name: string, open: () => Promise<AnswerStoreBench>): void {
  describe(`the answers kept in ${name}`, () => {
    let bench: AnswerStoreBench;
    beforeAll(async () => { bench = await open(); });
    afterAll(() => bench.close());

    const claim = (id: string, owner: string, { fingerprint = 'f', leaseMs = 60_000, since = LONG_AGO } = {}) => bench.store.claim({ id, owner, fingerprint, leaseMs, since });

    it('gives a claim to one, tells the others that it runs, and then the answer', async () => {
      const [id, owner] = [newUuid(), newUuid()];
      expect(await claim(id, owner)).toEqual({ state: 'mine' });
      expect(await claim(id, newUuid(), { fingerprint: 'other' })).toEqual({ state: 'running', fingerprint: 'f' });
      const sealed = Buffer.from([0, 255, 1, 254]);
      await bench.store.keep(id, owner, sealed);
      expect(await claim(id, newUuid())).toEqual({ state: 'answered', fingerprint: 'f', sealed });
    });

    it('gives it to one of many who come at the same moment', async () => {
      const id = newUuid();
      const claims = await Promise.all(Array.from({ length: 20 }, () => claim(id, newUuid())));
      expect(claims.filter(({ state }) => state === 'mine')).toHaveLength(1);
      expect(claims.filter(({ state }) => state === 'running')).toHaveLength(19);
    });

    it('gives a claim that comes twice to its owner, and each step that comes twice is done once', async () => {
      const [id, owner] = [newUuid(), newUuid()];
      for (let time = 0; time < 2; time += 1) expect(await claim(id, owner)).toEqual({ state: 'mine' });
      expect(await claim(id, newUuid())).toMatchObject({ state: 'running' });
      for (let time = 0; time < 2; time += 1) await bench.store.keep(id, owner, Buffer.from('a'));
      expect(await claim(id, owner)).toMatchObject({ state: 'answered', sealed: Buffer.from('a') });
      const other = newUuid();
      await claim(other, owner);
      for (let time = 0; time < 2; time += 1) await bench.store.release(other, owner);
      expect(await claim(other, newUuid())).toEqual({ state: 'mine' });
    });

    it('gives what was released to the next, and keeps what was answered', async () => {
      const [id, owner] = [newUuid(), newUuid()];
      await claim(id, owner);
      await bench.store.release(id, newUuid());
      expect(await claim(id, newUuid())).toMatchObject({ state: 'running' });
      await bench.store.release(id, owner);
      expect(await claim(id, owner)).toEqual({ state: 'mine' });
      await bench.store.keep(id, owner, Buffer.from('a'));
      await bench.store.release(id, owner);
      expect(await claim(id, newUuid())).toMatchObject({ state: 'answered' });
    });

    it('gives what its claimer died over to another, whose answer counts; a renewed claim stays', async () => {
      const [id, dead, heir] = [newUuid(), newUuid(), newUuid()];
      await claim(id, dead, { leaseMs: 1 });
      await eventually(async () => expect(await claim(id, heir, { fingerprint: 'g' })).toEqual({ state: 'mine' }));
      await bench.store.keep(id, dead, Buffer.from('of the dead'));
      expect(await claim(id, newUuid())).toEqual({ state: 'running', fingerprint: 'g' });
      await bench.store.keep(id, heir, Buffer.from('of the heir'));
      expect(await claim(id, newUuid())).toMatchObject({ state: 'answered', sealed: Buffer.from('of the heir') });
      const [slow, owner] = [newUuid(), newUuid()];
      await claim(slow, owner, { leaseMs: 1 });
      await bench.store.renew(slow, owner, 60_000);
      expect(await claim(slow, newUuid())).toMatchObject({ state: 'running' });
    });

    it('keeps an answer with a transaction, or not at all', async () => {
      const [id, owner, sealed] = [newUuid(), newUuid(), Buffer.from([0, 255, 1])];
      await claim(id, owner);
      const undone = bench.transaction(async (tx) => {
        await bench.store.keepIn(tx, id, owner, Buffer.from('of nothing'));
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await claim(id, newUuid())).toMatchObject({ state: 'running' });
      await bench.transaction((tx) => bench.store.keepIn(tx, id, owner, sealed));
      expect(await claim(id, newUuid())).toEqual({ state: 'answered', fingerprint: 'f', sealed });
      await bench.store.release(id, owner);
      expect(await claim(id, newUuid())).toMatchObject({ state: 'answered' });
    });

    it('fails the transaction of one whose claim is another\'s meanwhile', async () => {
      const [id, slow, heir] = [newUuid(), newUuid(), newUuid()];
      await claim(id, slow, { leaseMs: 1 });
      await eventually(async () => expect(await claim(id, heir)).toEqual({ state: 'mine' }));
      await expect(bench.transaction((tx) => bench.store.keepIn(tx, id, slow, Buffer.from('a')))).rejects.toMatchObject({ code: 'conflict' });
      expect(await claim(id, newUuid())).toMatchObject({ state: 'running' });
      await bench.transaction((tx) => bench.store.keepIn(tx, id, heir, Buffer.from('of the heir')));
      expect(await claim(id, newUuid())).toMatchObject({ state: 'answered', sealed: Buffer.from('of the heir') });
    });

    it('forgets what is old', async () => {
      const [old, owner] = [newUuid(), newUuid()];
      await claim(old, owner);
      await bench.store.keep(old, owner, Buffer.from('a'));
      const later = new Date(Date.now() + 60_000);
      expect(await claim(old, newUuid(), { since: later })).toEqual({ state: 'mine' });
      const fresh = newUuid();
      await claim(fresh, owner);
      await bench.store.prune(LONG_AGO);
      expect(await claim(fresh, newUuid())).toMatchObject({ state: 'running' });
      await bench.store.prune(later);
      expect(await claim(fresh, newUuid())).toEqual({ state: 'mine' });
    });
  });
}
