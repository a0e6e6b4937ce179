import type { ClaimedJob } from '../../src';
import { holdOf, type JobsSubject, NOTE, OTHER, terms } from '../jobs-subject';
import { HOUR_MS, namespacesOf, soon, StoreWords, texts } from './store-words';

const LEASE_MS = 60_000;
/** More than are looked through at a time. */
const MANY = 110;
const MANY_NAMESPACES = 70;
/** In so many looks all namespaces have had their turn; so many jobs are not all made ready in them. */
const [LOOKS, BACKLOG] = [3, 250];

/** What the runner relies on in any store. */
export function describeJobStore(name: string, open: () => Promise<JobsSubject>): void {
  describe(`the job store on ${name}`, () => {
    const words = new StoreWords(open);
    const { inTx, enqueue, enqueueMany, claim, one } = words;

    it('has no job of a change that was taken back', async () => {
      const failing = inTx(async (tx) => {
        await words.jobs.enqueue(tx, NOTE, { text: 'x' }, { namespace: 'a' });
        throw new Error('taken back');
      });
      await expect(failing).rejects.toThrow('taken back');
      expect(await words.store.claim(terms(5), [])).toEqual({ jobs: [], isMore: false, notEnded: [] });
    });

    it('gives each job to one of many workers, with what it was told, the oldest first', async () => {
      await enqueueMany(Array.from({ length: 12 }, () => 'a'));
      expect(texts(await claim(2))).toEqual(['0', '1']);
      const rest = (await Promise.all([claim(4), claim(4), claim(4)])).flat();
      expect(texts(rest).map(Number).sort((x, y) => x - y)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      expect(rest[0]).toMatchObject({ namespace: 'a', attempt: 1, ageMs: expect.any(Number) as number });
    });

    it('keeps the kinds apart', async () => {
      await inTx((tx) => words.jobs.enqueue(tx, OTHER, { n: 1 }, { namespace: 'a' }));
      expect(await claim(5)).toEqual([]);
      expect(await claim(5, { kind: OTHER.kind })).toMatchObject([{ payload: { n: 1 } }]);
    });

    it('takes the next job from the namespace with the fewest running', async () => {
      await enqueueMany(['a', 'a', 'a', 'a', 'a', 'b', 'c', 'c']);
      expect(namespacesOf(await claim(3))).toEqual(['a', 'b', 'c']);
      expect(namespacesOf(await claim(2))).toEqual(['a', 'c']);
      await enqueue('b1', 'b');
      expect(namespacesOf(await claim(1))).toEqual(['b']);
      expect(texts(await claim(5))).toEqual(['2', '3', '4']);
    });

    it('goes round where several namespaces have as few running, behind the last that was taken', async () => {
      await enqueueMany(['a', 'a', 'b', 'b', 'c', 'c']);
      const turns: string[] = [];
      for (const slots of [2, 2, 1, 1]) {
        const taken = await claim(slots, { after: turns.at(-1) ?? '' });
        turns.push(...namespacesOf(taken));
        await words.store.claim(terms(0), taken.map(holdOf));
      }
      expect(turns).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    });

    it('passes over namespaces that run as many as they may, however many there are', async () => {
      const names = Array.from({ length: MANY_NAMESPACES }, (_, n) => `n${n}`);
      await enqueueMany([...names, ...names]);
      expect(await claim(MANY_NAMESPACES, { perNamespace: 1 })).toHaveLength(MANY_NAMESPACES);
      await enqueue('free', 'z');
      expect(texts(await claim(2, { perNamespace: 1 }))).toEqual(['free']);
      expect(texts(await claim(2, { perNamespace: 1, after: 'm' }))).toEqual([]);
    });

    it('runs no more of a namespace at a time than it may, whoever asks', async () => {
      await enqueueMany(['a', 'a', 'a', 'a', 'a', 'a', 'b']);
      const taken = (await Promise.all([1, 2, 3].map(() => claim(3, { perNamespace: 2 })))).flat();
      expect(namespacesOf(taken).sort()).toEqual(['a', 'a', 'b']);
      expect((await words.store.claim(terms(3, { perNamespace: 2 }), [])).isMore).toBe(true);
      const ofA = taken.filter(({ namespace }) => namespace === 'a').map(holdOf);
      expect((await words.store.claim(terms(3, { perNamespace: 2 }), ofA.slice(0, 1))).jobs).toHaveLength(1);
    });

    it('takes over what a silent worker held, and lets that one write nothing any more', async () => {
      await enqueue('x');
      const first = await one();
      expect(await claim(1)).toEqual([]);
      await words.subject.endLeases();
      const second = await one();
      expect(second).toMatchObject({ id: first.id, attempt: 2 });
      expect(second.token).toBeGreaterThan(first.token);
      expect(await words.store.renew([first], LEASE_MS)).toEqual(new Set([first.id]));
      expect(await inTx((tx) => words.store.hold(tx, first, LEASE_MS))).toBe(false);
      expect(await inTx((tx) => words.store.requeue(tx, first, { delayMs: 0, attempts: 'counted' }))).toBe(false);
      expect(await inTx((tx) => words.store.bury(tx, first, 'x'))).toBe(false);
      expect(await inTx((tx) => words.store.forget(tx, first))).toBe(false);
      expect(await inTx((tx) => words.store.finish(tx, first))).toBe(false);
      await words.store.claim(terms(0), [first]);
      expect(await words.store.renew([second], LEASE_MS)).toEqual(new Set());
      expect(await inTx((tx) => words.store.finish(tx, second))).toBe(true);
      expect([await claim(1), await words.store.statistics()]).toEqual([[], []]);
    });

    it('leaves a job to the worker that renews its lease', async () => {
      await enqueue('x');
      const held = await one();
      await words.subject.endLeases();
      await words.store.renew([held], LEASE_MS);
      expect(await claim(1)).toEqual([]);
    });

    it('lets nobody take over a job in the middle of a transaction that holds it', async () => {
      await enqueue('x');
      const held = await one();
      let others: Promise<readonly unknown[]> = Promise.resolve([]);
      await inTx(async (tx) => {
        expect(await words.store.hold(tx, held, LEASE_MS)).toBe(true);
        others = words.subject.endLeases().then(() => claim(1)).catch(() => []);
        expect(await words.store.finish(tx, held)).toBe(true);
      });
      expect(await others).toEqual([]);
      expect(await claim(1)).toEqual([]);
    });

    it('renews a lease with a transaction that holds the job', async () => {
      await enqueue('x');
      const held = await one();
      await words.subject.endLeases();
      expect(await inTx((tx) => words.store.hold(tx, held, LEASE_MS))).toBe(true);
      expect(await claim(1)).toEqual([]);
    });

    it('gives out no job before it is due, and says when to come again', async () => {
      await enqueue('later', 'a', { dueAt: soon(HOUR_MS) });
      const { jobs: none, isMore, nextMs } = await words.store.claim(terms(1), []);
      expect([none, isMore]).toEqual([[], false]);
      expect(nextMs).toBeGreaterThan(0);
      expect(nextMs).toBeLessThanOrEqual(HOUR_MS + LEASE_MS);
      expect((await words.store.look([NOTE.kind])).get(NOTE.kind)).toBeGreaterThan(0);
      await words.subject.makeDue();
      expect((await words.store.look([NOTE.kind])).get(NOTE.kind)).toBe(0);
      expect(texts(await claim(1))).toEqual(['later']);
    });

    it('has the many jobs of one tenant that have fallen due stand back for the one of another', async () => {
      await enqueueMany(Array.from({ length: MANY }, () => 'many'), soon(HOUR_MS));
      await enqueueMany(['few'], soon(2 * HOUR_MS));
      await words.subject.makeDue();
      expect(namespacesOf(await claim(4)).sort()).toEqual(['few', 'many', 'many', 'many']);
      const rest: ClaimedJob[] = [];
      for (let taken = await claim(32); taken.length > 0; taken = await claim(32, { perNamespace: MANY })) rest.push(...taken);
      expect(rest).toHaveLength(MANY - 3);
    });

    it('comes to the one that is due of the last of many namespaces that wait, past the many of the first', async () => {
      await enqueueMany(Array.from({ length: BACKLOG }, () => 'a'), soon(HOUR_MS));
      await enqueueMany(Array.from({ length: MANY_NAMESPACES }, (_, n) => `n${n}`), soon(100 * HOUR_MS));
      await enqueue('few', 'z', { dueAt: soon(2 * HOUR_MS) });
      await words.subject.makeDue();
      const taken: string[] = [];
      for (let looks = 0; looks < LOOKS; looks += 1) taken.push(...namespacesOf(await claim(1)));
      expect(taken).toContain('z');
      // Where nothing waits the next look begins at the first again, for whatever test comes next.
      await words.subject.clear();
      await claim(1);
    });

    it('says of each kind when there may be something to do, and nothing of those that have none', async () => {
      await enqueue('x');
      expect([...(await words.store.look([NOTE.kind, OTHER.kind]))]).toEqual([[NOTE.kind, 0]]);
      await claim(1, { leaseMs: HOUR_MS });
      // When its lease would end.
      expect((await words.store.look([NOTE.kind])).get(NOTE.kind)).toBeGreaterThan(0);
    });

    it('knows how often in a row a payload could not be read: until it could, or the job is enqueued again or replayed', async () => {
      await enqueue('x', 'a', { key: 'k' });
      const back = async (rest: { readonly unread?: number } = {}) => {
        const held = await one();
        await inTx((tx) => words.store.requeue(tx, holdOf(held), { delayMs: 0, attempts: 'uncounted', ...rest }));
        return held.unread;
      };
      expect([await back({ unread: 1 }), await back({ unread: 2 }), await back(), await back({ unread: 1 })]).toEqual([0, 1, 2, 0]);
      await enqueue('y', 'a', { key: 'k' });
      expect([await back(), await back({ unread: 1 })]).toEqual([0, 0]);
      const dying = await one();
      expect(dying.unread).toBe(1);
      await inTx((tx) => words.store.bury(tx, holdOf(dying), 'cause'));
      await words.store.replay({});
      expect((await one()).unread).toBe(0);
    });

    it('goes back to the queue with its attempt counted, or not, or with a new beginning', async () => {
      await enqueue('x');
      const back = async (attempts: 'counted' | 'uncounted' | 'fresh', payload?: string) => {
        const held = await one();
        expect(await inTx((tx) => words.store.requeue(tx, holdOf(held), { delayMs: 0, attempts, ...(payload !== undefined && { payload }) }))).toBe(true);
        return held.attempt;
      };
      expect([await back('counted'), await back('counted'), await back('uncounted'), await back('fresh', '{"text":"y"}')]).toEqual([1, 2, 3, 3]);
      expect(await one()).toMatchObject({ attempt: 1, payload: { text: 'y' } });
    });
  });
}
