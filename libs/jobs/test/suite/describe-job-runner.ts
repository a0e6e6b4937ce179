import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@twinyard/testing';
import { GiveUp, TryLater } from '../../src';
import { type JobsSubject, NOTE, OTHER } from '../jobs-subject';
import { gate, RunningJobs } from './running-jobs';

const MANY = 30;
const HANDS = 4;
const HOUR_MS = 3_600_000;
const WORK_MS = 30;

/** What handlers rely on, on any store. */
export function describeJobRunner(name: string, open: () => Promise<JobsSubject>): void {
  describe(`jobs on ${name}`, () => {
    const jobs = new RunningJobs(open);
    const { newProcess, inTx, write, noted, dead, nothingIsLeft } = jobs;

    it('does a job once, in the transaction that writes what it has made, and keeps nothing of it', async () => {
      const process = newProcess().start({ run: (held) => write(held) });
      await process.enqueue('one');
      await noted('one');
      await process.enqueue('two');
      await noted('one', 'two');
      await nothingIsLeft();
    });

    it('ends a job whose handler just returns', async () => {
      const seen: string[] = [];
      const process = newProcess().start({ run: (held) => Promise.resolve(void seen.push(held.payload.text)) });
      for (let n = 0; n < 10; n += 1) await process.enqueue(String(n));
      await eventually(async () => expect([seen.length, await jobs.left()]).toEqual([10, []]));
    });

    it('is told of jobs, and looks when they are due, and not again and again until then', async () => {
      const process = newProcess({ options: { lookMs: HOUR_MS } }).start({ run: (held) => write(held) });
      const claims = jest.spyOn(jobs.subject.store, 'claim');
      await process.enqueue('one');
      await noted('one');
      await nothingIsLeft();
      const asked = claims.mock.calls.length;
      await process.enqueue('two', 'ns_a', { dueAt: new Date(Date.now() + 300) });
      await noted('one', 'two');
      // Told of it, due, done; on a store that cannot tell some looks of its own after each enqueue.
      expect(claims.mock.calls.length - asked).toBeLessThanOrEqual(20);
    });

    it('begins no job before its time', async () => {
      const begun: number[] = [];
      const process = newProcess().start({ run: () => Promise.resolve(void begun.push(Date.now())) });
      const dueAt = new Date(Date.now() + 1_000);
      await process.enqueue('later', 'ns_a', { dueAt });
      await eventually(() => expect(begun).toHaveLength(1));
      // The clocks of two servers may differ by a little.
      expect(begun[0]).toBeGreaterThanOrEqual(dueAt.getTime() - 50);
    });

    it('tries what failed again, gives it up after its attempts with the cause, and does it when it is replayed', async () => {
      let isBroken = true;
      let tries = 0;
      const process = newProcess().start({
        run: (held) => {
          tries += 1;
          return isBroken ? Promise.reject(new Error(`broken ${held.attempt}`, { cause: new Error('deep inside') })) : write(held);
        },
        died: (tx, { payload, attempt }, cause) => jobs.subject.note(tx, `${payload.text} died of ${cause.includes('broken 3')} after ${attempt}`),
      });
      await process.enqueue('x');
      await noted('x died of true after 3');
      const [letter] = await dead();
      expect(letter).toMatchObject({ kind: NOTE.kind, attempts: 3, cause: expect.stringMatching(/broken 3[^]*caused by: [^]*deep inside/) as string });
      expect(await process.figures()).toMatch(/jobs_failed_total\{kind="test.note"\} 3[^]*/);
      isBroken = false;
      await jobs.subject.store.replay({ id: letter?.id ?? '' });
      await process.enqueue('wakes it where nobody is told');
      await eventually(async () => expect((await jobs.subject.notes()).includes('x')).toBe(true));
      expect([tries >= 4, await dead()]).toEqual([true, []]);
    });

    it('gives up at once what no attempt would do better, and does not count what only has to wait', async () => {
      let waits = 0;
      const process = newProcess().start({
        run: (held) => {
          if (held.payload.text === 'hopeless') throw new GiveUp('never');
          waits += 1;
          // With a cause it is one of the failures, too.
          if (waits < 6) throw new TryLater(1, false, waits < 3 ? { cause: new Error('away') } : undefined);
          return write(held, `attempt ${held.attempt}`);
        },
      });
      await process.enqueue('hopeless');
      await eventually(async () => expect(await dead()).toMatchObject([{ attempts: 1, cause: expect.stringContaining('never') as string }]));
      await process.enqueue('patient');
      await noted('attempt 1');
      expect(await process.figures()).toContain('jobs_failed_total{kind="test.note"} 3');
    });

    it('keeps nothing of a job that is given up where its kind says so', async () => {
      const process = newProcess().start({
        run: () => Promise.reject(new GiveUp('never')),
        died: (tx, { payload }) => jobs.subject.note(tx, `${payload.text} died`),
      }, { dead: 'forget' });
      await process.enqueue('x');
      await noted('x died');
      await nothingIsLeft();
    });

    it('gives a job up though what follows from its end fails', async () => {
      const process = newProcess().start({ run: () => Promise.reject(new GiveUp('never')), died: () => Promise.reject(new Error('cannot be told')) });
      await process.enqueue('x');
      await eventually(async () => expect(await dead()).toMatchObject([{ attempts: 1, cause: expect.stringContaining('never') as string }]));
    });

    it.each([NOTE.retry.attempts, 1_000_000_000])('puts back a job twice whose payload this version cannot read, since another may, and gives it up then: of a kind with %s attempts', async (attempts) => {
      const process = newProcess().start({ run: () => Promise.resolve() }, { retry: { ...NOTE.retry, attempts } });
      const back = jest.spyOn(jobs.subject.store, 'requeue');
      await expect(process.enqueue(5 as unknown as string)).rejects.toThrow();
      await inTx((tx) => jobs.subject.store.enqueue(tx, [{ id: 'odd', kind: NOTE.kind, namespace: 'a', payload: '{"text":5}' }]));
      await eventually(async () => {
        await jobs.subject.makeDue();
        await process.enqueue('wakes it');
        expect(await dead()).toMatchObject([{ id: 'odd', cause: expect.stringContaining('The payload is not what') as string }]);
      });
      expect(back.mock.calls.map(([, { id }, { unread }]) => [id, unread])).toEqual([['odd', 1], ['odd', 2]]);
    });

    it('hands the id of the request that a job follows from to its handler, in each step, and nothing where there is none', async () => {
      const process = newProcess().start({
        run: (held) => inTx(async (tx) => {
          await jobs.subject.note(tx, `${held.payload.text} of ${held.requestId}`);
          await (held.payload.text === 'first' ? held.continueWith(tx, { text: 'second' }, 1) : held.finish(tx));
        }),
      });
      await process.enqueue('first', 'ns_a', { requestId: 'req-1' });
      await noted('first of req-1', 'second of req-1');
      await process.enqueue('third');
      await process.enqueue('fourth', 'ns_a', { requestId: 'x'.repeat(200) });
      await eventually(async () => expect((await jobs.subject.notes()).slice(2).sort()).toEqual([`fourth of ${'x'.repeat(128)}`, 'third of undefined']));
    });

    it('goes on in steps, each with its attempts', async () => {
      const process = newProcess().start({
        run: (held) => {
          const step = Number(held.payload.text);
          if (held.attempt === 1) throw new Error('each step fails once');
          return inTx(async (tx) => {
            await jobs.subject.note(tx, `step ${step}, attempt ${held.attempt}`);
            await (step < 3 ? held.continueWith(tx, { text: String(step + 1) }, 1) : held.finish(tx));
          });
        },
      });
      await process.enqueue('1');
      await noted('step 1, attempt 2', 'step 2, attempt 2', 'step 3, attempt 2');
      await nothingIsLeft();
    });

    it('refuses a next step that nobody could read', async () => {
      const process = newProcess().start({ run: (held) => inTx((tx) => held.continueWith(tx, { text: 5 as unknown as string }, 0)) }, { retry: { ...NOTE.retry, attempts: 1 } });
      await process.enqueue('x');
      await eventually(async () => expect(await dead()).toMatchObject([{ attempts: 1, cause: expect.stringMatching(/ZodError|expected string/) as string }]));
    });

    it('lets the many jobs of one tenant stand back for the one of another: it is the next', async () => {
      const order: string[] = [];
      const ends: (() => void)[] = [];
      const process = newProcess();
      await inTx((tx) => process.jobs.enqueueAll(tx, NOTE, Array.from({ length: MANY }, () => ({ payload: { text: 'many' }, namespace: 'ns_many' }))));
      process.start({
        run: ({ namespace }) => {
          order.push(namespace);
          const { opened, open: end } = gate();
          ends.push(end);
          return opened;
        },
      }, { concurrency: HANDS });
      await eventually(() => expect(order).toHaveLength(HANDS));
      await process.enqueue('few', 'ns_few');
      ends.shift()?.();
      await eventually(() => expect(order).toHaveLength(HANDS + 1));
      expect(order.indexOf('ns_few')).toBe(HANDS);
      await eventually(async () => {
        for (const end of ends.splice(0)) end();
        expect(await jobs.left()).toEqual([]);
      });
      expect(order).toHaveLength(MANY + 1);
    });

    it('has so many jobs of all kinds in hand at a time, and of a kind that has none one beyond them', async () => {
      const process = newProcess({ options: { atOnce: HANDS } });
      const { opened, open: end } = gate();
      const begun: string[] = [];
      let [inHand, most] = [0, 0];
      const work = async (kind: string) => {
        begun.push(kind);
        inHand += 1;
        most = Math.max(most, inHand);
        await opened;
        inHand -= 1;
      };
      process.runner.handle(OTHER, { run: () => work('other') }, { concurrency: MANY });
      await inTx((tx) => process.jobs.enqueueAll(tx, NOTE, Array.from({ length: MANY }, () => ({ payload: { text: 'x' }, namespace: 'ns_a' }))));
      process.start({ run: () => work('note') }, { concurrency: MANY });
      const notes = Array<string>(HANDS).fill('note');
      await eventually(() => expect(begun).toEqual(notes));
      await inTx((tx) => process.jobs.enqueueAll(tx, OTHER, [1, 2, 3].map((n) => ({ payload: { n }, namespace: 'ns_a' }))));
      await eventually(() => expect(begun).toEqual([...notes, 'other']));
      end();
      await eventually(async () => expect([begun.length, await jobs.left()]).toEqual([MANY + 3, []]));
      expect(most).toBe(HANDS + 1);
    });

    it('leaves jobs of a kind that nobody here has a handler for, and says how many wait', async () => {
      const process = newProcess().start({ run: (held) => write(held) });
      await inTx((tx) => process.jobs.enqueueAll(tx, OTHER, [1, 2].map((n) => ({ payload: { n }, namespace: 'ns_a' }))));
      await process.enqueue('x');
      await noted('x');
      const figures = await process.figures();
      expect(figures).toContain('jobs_without_handler{kind="test.other"} 2');
      expect(figures).not.toContain('jobs_without_handler{kind="test.note"}');
    });

    it('counts what ended well, each step of a job too, and how long each attempt took, also one that failed', async () => {
      const process = newProcess().start({
        run: async (held) => {
          await delay(WORK_MS);
          if (held.payload.text === 'hopeless') throw new GiveUp('never');
          if (held.payload.text === 'in steps') await inTx((tx) => held.continueWith(tx, { text: 'last step' }, 1));
        },
      });
      const figure = async (name: string) => Number(new RegExp(`^${name}\\{kind="test.note"\\} (.*)$`, 'm').exec(await process.figures())?.[1]);
      expect([await figure('jobs_finished_total'), await figure('jobs_seconds_count')]).toEqual([0, 0]);
      for (const text of ['in steps', 'hopeless', 'short']) await process.enqueue(text);
      await eventually(async () => expect([await figure('jobs_finished_total'), await figure('jobs_failed_total'), await figure('jobs_seconds_count')]).toEqual([3, 1, 4]));
      // A timer may ring a little too early.
      expect(await figure('jobs_seconds_sum')).toBeGreaterThan(4 * (WORK_MS - 5) / 1_000);
    });

    it('has its figures for every kind, and no tenant in them', async () => {
      const process = newProcess().start({ run: () => Promise.reject(new GiveUp('never')) });
      await process.enqueue('x', 'ns_secret');
      await eventually(async () => expect(await dead()).toHaveLength(1));
      const figures = await process.figures();
      for (const figure of ['jobs_queued', 'jobs_running', 'jobs_oldest_seconds', 'jobs_dead', 'jobs_finished_total', 'jobs_failed_total', 'jobs_seconds_count']) expect(figures).toContain(`${figure}{kind="test.note"}`);
      expect(figures).not.toContain('ns_secret');
    });
  });
}
