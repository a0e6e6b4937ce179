import { eventually } from '@twinyard/testing';
import { holdOf, type JobsSubject, NOTE, terms } from '../jobs-subject';
import { HOUR_MS, soon, StoreWords, texts } from './store-words';

const LEASE_MS = 60_000;

/** Of a kind and namespace there is one job at a time with a key, in any store. */
export function describeJobKeys(name: string, open: () => Promise<JobsSubject>): void {
  describe(`jobs with keys on ${name}`, () => {
    const words = new StoreWords(open);
    const { inTx, enqueue, claim, one } = words;
    const ensure = (text: string, dueAt?: Date) => inTx((tx) => words.jobs.ensure(tx, NOTE, { text }, { namespace: 'a', key: 'k', ...(dueAt && { dueAt }) }));

    it('say the latest when they are enqueued again while they wait, at the earliest time, with all their attempts before them', async () => {
      const ids = [await enqueue('first', 'a', { key: 'k', dueAt: soon(HOUR_MS) }), await enqueue('second', 'a', { key: 'k' })];
      const failed = await one();
      await inTx((tx) => words.store.requeue(tx, holdOf(failed), { delayMs: 0, attempts: 'counted' }));
      ids.push(await enqueue('third', 'a', { key: 'k', dueAt: soon(2 * HOUR_MS) }));
      expect(new Set(ids).size).toBe(1);
      expect(await claim(5)).toMatchObject([{ attempt: 1, payload: { text: 'third' } }]);
    });

    it('are a tenant\'s own, and bounded', async () => {
      await enqueue('of a', 'a', { key: 'k' });
      await enqueue('of b', 'b', { key: 'k' });
      expect(texts(await claim(5))).toEqual(['of a', 'of b']);
      await expect(enqueue('x', 'a', { key: 'k'.repeat(257) })).rejects.toThrow('at most 256');
      await expect(enqueue('x', 'a b', { key: 'k' })).rejects.toThrow('no namespace');
      await expect(enqueue('x', 'a'.repeat(129))).rejects.toThrow('no namespace');
      await expect(enqueue('x'.repeat(1024 ** 2))).rejects.toThrow('a payload has at most');
    });

    it('name the request that enqueued them last, also where that is none', async () => {
      for (const requestId of ['first', 'second']) await enqueue('x', 'a', { key: 'k', requestId });
      const held = await one();
      expect(held.requestId).toBe('second');
      await inTx((tx) => words.store.requeue(tx, holdOf(held), { delayMs: 0, attempts: 'counted' }));
      expect((await one()).requestId).toBe('second');
      await enqueue('x', 'a', { key: 'other', requestId: 'first' });
      await enqueue('x', 'a', { key: 'other' });
      expect((await one()).requestId).toBeUndefined();
    });

    it('let a worker from before write nothing when the same key comes again', async () => {
      await enqueue('first', 'a', { key: 'k' });
      const first = await one();
      expect(await inTx((tx) => words.store.finish(tx, first))).toBe(true);
      await enqueue('second', 'a', { key: 'k' });
      const second = await one();
      expect(second.id).toBe(first.id);
      expect(second.token).toBeGreaterThan(first.token);
      expect(await inTx((tx) => words.store.hold(tx, first, LEASE_MS))).toBe(false);
      expect(await inTx((tx) => words.store.finish(tx, first))).toBe(false);
      expect(await inTx((tx) => words.store.requeue(tx, first, { delayMs: 0, attempts: 'counted' }))).toBe(false);
      expect(await words.store.renew([first], LEASE_MS)).toEqual(new Set([first.id]));
      await words.store.claim(terms(0), [first]);
      expect(await inTx((tx) => words.store.finish(tx, second))).toBe(true);
    });

    it('run once more when they are enqueued again while they run', async () => {
      await enqueue('first', 'a', { key: 'k' });
      const first = await one();
      await enqueue('second', 'a', { key: 'k' });
      expect(await claim(5)).toEqual([]);
      expect(await inTx((tx) => words.store.finish(tx, first))).toBe(true);
      const second = await one();
      expect(second).toMatchObject({ payload: { text: 'second' }, attempt: 1 });
      expect(await inTx((tx) => words.store.bury(tx, holdOf(second), 'cause'))).toBe(true);
      await enqueue('third', 'a', { key: 'k' });
      expect([texts(await claim(5)), await words.store.dead({}, 9)]).toEqual([['third'], []]);
    });

    it('run once more as soon as the first of those who enqueued them meanwhile wants', async () => {
      await enqueue('first', 'a', { key: 'k' });
      const first = await one();
      await enqueue('at once', 'a', { key: 'k' });
      await enqueue('later', 'a', { key: 'k', dueAt: soon(HOUR_MS) });
      await inTx((tx) => words.store.finish(tx, first));
      expect(texts(await claim(5))).toEqual(['later']);
    });

    it.each(['finish', 'forget', 'requeue', 'bury', 'take over'] as const)('forget no second order when the first one ends by %s', async (end) => {
      await enqueue('first', 'a', { key: 'k' });
      const first = await one();
      await enqueue('second', 'a', { key: 'k' });
      if (end === 'finish') await words.store.claim(terms(0), [first]);
      if (end === 'forget') expect(await inTx((tx) => words.store.forget(tx, first))).toBe(false);
      if (end === 'requeue') await inTx((tx) => words.store.requeue(tx, first, { delayMs: 60_000, attempts: 'counted', payload: '{"text":"other"}' }));
      if (end === 'bury') expect(await inTx((tx) => words.store.bury(tx, first, 'cause'))).toBe(false);
      if (end === 'take over') await words.subject.endLeases();
      expect(await claim(5)).toMatchObject([{ payload: { text: 'second' }, attempt: 1 }]);
    });

    it('wait for a change that enqueues them while they end, and run once more', async () => {
      await enqueue('first', 'a', { key: 'k' });
      const first = await one();
      let ending: Promise<unknown> = Promise.resolve();
      await inTx(async (tx) => {
        await words.jobs.enqueue(tx, NOTE, { text: 'second' }, { namespace: 'a', key: 'k' });
        ending = words.store.claim(terms(0), [first]).catch(() => undefined);
      });
      await ending;
      await eventually(async () => {
        // Where it was ended first the lease of nobody is in the way.
        await words.subject.endLeases();
        expect(texts(await claim(5))).toEqual(['second']);
      });
    });

    it('are left as they are by who only sees to it that there is one, and begin anew when they have died', async () => {
      await ensure('first', soon(HOUR_MS));
      await ensure('second');
      expect(await claim(5)).toEqual([]);
      await words.subject.makeDue();
      const failed = await one();
      await inTx((tx) => words.store.requeue(tx, holdOf(failed), { delayMs: 0, attempts: 'counted' }));
      await ensure('third');
      const held = await one();
      expect(held).toMatchObject({ attempt: 2, payload: { text: 'first' } });
      await ensure('fourth');
      await inTx((tx) => words.store.bury(tx, holdOf(held), 'cause'));
      expect(await claim(5)).toEqual([]);
      await ensure('fifth');
      expect(await claim(5)).toMatchObject([{ attempt: 1, payload: { text: 'fifth' } }]);
    });
  });
}
