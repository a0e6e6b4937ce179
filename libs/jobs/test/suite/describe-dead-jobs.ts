import type { Hold } from '../../src';
import { holdOf, type JobsSubject, NOTE, OTHER } from '../jobs-subject';
import { HOUR_MS, namespacesOf, soon, StoreWords } from './store-words';

const inAMinute = () => soon(60_000);
const aMinuteAgo = () => soon(-60_000);

/** What is given up, counted, removed and purged, in any store. */
export function describeDeadJobs(name: string, open: () => Promise<JobsSubject>): void {
  describe(`jobs that are over on ${name}`, () => {
    const words = new StoreWords(open);
    const { inTx, enqueue, enqueueMany, claim, one } = words;
    const die = async (...namespaces: string[]) => {
      await enqueueMany(namespaces);
      for (const held of await claim(namespaces.length)) await inTx((tx) => words.store.bury(tx, holdOf(held), `cause of ${held.namespace}`));
    };
    const dead = async () => (await words.store.dead({}, 99)).map(({ namespace }) => namespace);

    it('are kept with their cause, replayed, and dropped', async () => {
      await die('a', 'b', 'c');
      expect(await claim(5)).toEqual([]);
      expect(await words.store.dead({ namespace: 'a' }, 9)).toEqual([
        { id: expect.any(String) as string, kind: NOTE.kind, namespace: 'a', attempts: 1, cause: 'cause of a', diedAt: expect.any(Date) as Date },
      ]);
      expect([(await dead()).length, (await words.store.dead({}, 1)).length, await words.store.dead({ kind: OTHER.kind }, 9)]).toEqual([3, 1, []]);
      expect([await words.store.replay({ kind: OTHER.kind }), await words.store.replay({ namespace: 'a' })]).toEqual([0, 1]);
      expect(await claim(5)).toMatchObject([{ namespace: 'a', attempt: 1 }]);
      expect([await words.store.drop({ kind: OTHER.kind }), await words.store.drop({ namespace: 'a' }), await words.store.drop({ namespace: 'b' })]).toEqual([0, 0, 1]);
      expect(await dead()).toEqual(['c']);
    });

    it('are told apart from those that run and wait, which are listed: first what runs, then what is due longest', async () => {
      await die('dead');
      await enqueueMany(['a', 'b']);
      await claim(1);
      await inTx((tx) => words.store.enqueue(tx, [{ id: 'later', kind: NOTE.kind, namespace: 'wait', payload: '{}', dueAt: inAMinute(), requestId: 'req-1' }]));
      const listed = await words.store.list({}, 9);
      expect(listed.map(({ namespace, state, attempts }) => [namespace, state, attempts])).toEqual([['a', 'RUNNING', 1], ['b', 'READY', 0], ['wait', 'WAITING', 0]]);
      expect(await words.store.list({ id: 'later' }, 9)).toEqual([{ id: 'later', kind: NOTE.kind, namespace: 'wait', state: 'WAITING', attempts: 0, dueAt: expect.any(Date) as Date, cause: null, requestId: 'req-1' }]);
      expect([(await words.store.list({}, 1)).length, await words.store.list({ kind: OTHER.kind }, 9), (await words.store.list({ namespace: 'b' }, 9)).length]).toEqual([1, [], 1]);
    });

    it('leave nothing where they are forgotten', async () => {
      await enqueue('x');
      const held = await one();
      expect(await inTx((tx) => words.store.forget(tx, holdOf(held)))).toBe(true);
      expect([await dead(), await words.store.statistics()]).toEqual([[], []]);
    });

    it('are removed when they have had their time, and all but the latest of a kind', async () => {
      await die('a');
      await die('b');
      await die('c');
      expect(await words.store.prune(aMinuteAgo(), 3)).toBe(0);
      expect(await words.store.prune(aMinuteAgo(), 1)).toBe(2);
      expect(await dead()).toEqual(['c']);
      expect([await words.store.prune(inAMinute(), 3), await words.store.prune(inAMinute(), 3)]).toEqual([1, 0]);
      expect(await dead()).toEqual([]);
    });

    it('go with a purged namespace, and so do those that wait or run, whose workers are refused', async () => {
      await die('a', 'b');
      await enqueueMany(['a', 'b'], soon(HOUR_MS));
      await enqueueMany(['a', 'b', 'a', 'b']);
      const running = await claim(2);
      expect(namespacesOf(running)).toEqual(['a', 'b']);
      expect(await words.store.purge('a', 3)).toBe(3);
      expect(await words.store.purge('a', 3)).toBe(1);
      expect(await words.store.purge('a', 3)).toBe(0);
      const ended = [];
      for (const held of running) ended.push(await inTx((tx) => words.store.finish(tx, holdOf(held))));
      expect(ended).toEqual([false, true]);
      expect(await words.store.statistics()).toMatchObject([{ queued: 2, running: 0, dead: 1 }]);
    });

    it('are counted, with what waits and runs, by kind', async () => {
      await enqueueMany(['a', 'a', 'b'], aMinuteAgo());
      await inTx((tx) => words.jobs.enqueue(tx, OTHER, { n: 1 }, { namespace: 'a', dueAt: soon(HOUR_MS) }));
      const [first] = await claim(2);
      await inTx((tx) => words.store.bury(tx, holdOf(first as Hold), 'cause'));
      const counted = (await words.store.statistics()).sort((x, y) => x.kind.localeCompare(y.kind));
      expect(counted).toMatchObject([{ kind: NOTE.kind, queued: 1, running: 1, dead: 1 }, { kind: OTHER.kind, queued: 1, running: 0, dead: 0, oldestMs: 0 }]);
      // The clocks of two servers may differ by a little.
      expect(counted[0]?.oldestMs).toBeGreaterThanOrEqual(50_000);
    });
  });
}
