import { eventually } from '@twinyard/testing';
import { JobStopped, LeaseLost } from '../../src';
import { type JobsSubject, NOTE, terms } from '../jobs-subject';
import { cutLine, gate, type Held, RunningJobs } from './running-jobs';

const HOUR_MS = 3_600_000;
const never = (): Promise<never> => new Promise(() => undefined);

/** Rejects when the job is stopped. */
const untilStopped = ({ signal }: Held, hear: (reason: unknown) => void = () => undefined): Promise<never> => new Promise((_, reject) => signal.addEventListener('abort', () => {
  hear(signal.reason);
  reject(signal.reason as Error);
}));

/** How attempts end that do not end well, on any store. */
export function describeAttempts(name: string, open: () => Promise<JobsSubject>): void {
  describe(`attempts at jobs on ${name}`, () => {
    const jobs = new RunningJobs(open);
    const { newProcess, inTx, write, noted, dead, left, nothingIsLeft } = jobs;

    it('give up a job that has taken down as many workers as it has attempts', async () => {
      const idle = newProcess();
      await idle.enqueue('killer');
      for (let n = 0; n < 3; n += 1) {
        expect((await jobs.subject.store.claim(terms(1), [])).jobs).toHaveLength(1);
        await jobs.subject.endLeases();
      }
      newProcess().start({ run: (held) => write(held) });
      await eventually(async () => expect(await dead()).toMatchObject([{ cause: expect.stringContaining('fell silent') as string }]));
      expect(await jobs.subject.notes()).toEqual([]);
    });

    it('follow a worker that has fallen silent, and take back what that one writes too late', async () => {
      const [silent, late] = [gate(), gate()];
      const outcomes: unknown[] = [];
      const line = cutLine(jobs.subject.store);
      const one = newProcess({ store: line.store }).start({
        run: async (job) => {
          silent.open();
          await late.opened;
          await write(job, 'too late').catch((error: unknown) => {
            outcomes.push(error);
            throw error;
          });
        },
      });
      await one.enqueue('x');
      await silent.opened;
      await line.cut();
      await jobs.subject.endLeases();
      newProcess().start({ run: (job) => write(job, `by the second, attempt ${job.attempt}`) });
      await noted('by the second, attempt 2');
      late.open();
      await eventually(() => expect(outcomes).toEqual([expect.any(LeaseLost)]));
      expect([await jobs.subject.notes(), await left()]).toEqual([['by the second, attempt 2'], []]);
    });

    it('are told that their lease is lost', async () => {
      const reasons: unknown[] = [];
      const begun = gate();
      const one = newProcess().start({
        run: (held) => {
          if (reasons.length > 0) return Promise.resolve();
          begun.open();
          return untilStopped(held, (reason) => reasons.push(reason));
        },
      }, { leaseMs: 3_000 });
      await one.enqueue('x');
      await begun.opened;
      jest.spyOn(jobs.subject.store, 'renew').mockImplementation((holds) => Promise.resolve(new Set(holds.map(({ id }) => id))));
      await eventually(() => expect(reasons).toEqual([new JobStopped('lost')]));
      await nothingIsLeft();
    });

    it('are counted also when they have lost their lease, so that they come to an end', async () => {
      jest.spyOn(jobs.subject.store, 'renew').mockImplementation((holds) => Promise.resolve(new Set(holds.map(({ id }) => id))));
      const process = newProcess().start({ run: (held) => untilStopped(held) }, { leaseMs: 3_000 });
      await process.enqueue('x');
      await eventually(async () => expect(await dead()).toMatchObject([{ attempts: 3, cause: expect.stringContaining('lost') as string }]));
    });

    it('stop that cannot renew, before another may begin', async () => {
      const begun = gate();
      const events: unknown[] = [];
      const line = cutLine(jobs.subject.store);
      const one = newProcess({ store: line.store }).start({
        run: (held) => {
          begun.open();
          return untilStopped(held, (reason) => events.push(reason));
        },
      }, { leaseMs: 3_000 });
      await one.enqueue('x');
      await begun.opened;
      await line.cut();
      newProcess().start({ run: (held) => Promise.resolve(void events.push(`attempt ${held.attempt}`)) }, { leaseMs: 3_000 });
      await nothingIsLeft();
      expect(events).toEqual([new JobStopped('lost'), 'attempt 2']);
    });

    it('are begun anew where a standstill has ended their lease, but not before the earlier one has ended', async () => {
      const [begun, end] = [gate(), gate()];
      const [attempts, reasons]: [number[], unknown[]] = [[], []];
      let running = 0;
      const one = newProcess({ options: { graceMs: HOUR_MS } }).start({
        run: async (held) => {
          attempts.push(held.attempt);
          running += 1;
          expect(running).toBe(1);
          held.signal.addEventListener('abort', () => reasons.push(held.signal.reason));
          begun.open();
          if (held.attempt === 1) await end.opened;
          await write(held, `attempt ${held.attempt}`).finally(() => (running -= 1));
        },
      });
      await one.enqueue('x');
      await begun.opened;
      await jobs.subject.endLeases();
      await one.enqueue('wakes it', 'ns_b', { dueAt: new Date(Date.now() + HOUR_MS) });
      await eventually(() => expect(reasons).toEqual([new JobStopped('lost')]));
      expect(attempts).toEqual([1]);
      end.open();
      await noted('attempt 2');
      expect(attempts).toEqual([1, 2]);
    });

    it('end when they take longer than their kind may, and what they still write is refused', async () => {
      const [reasons, late]: [unknown[], Held[]] = [[], []];
      const process = newProcess({ options: { graceMs: 1 } }).start({
        run: (held) => {
          late.push(held);
          held.signal.addEventListener('abort', () => reasons.push(held.signal.reason));
          return never();
        },
      }, { longestMs: 20, retry: { ...NOTE.retry, attempts: 2 } });
      await process.enqueue('x');
      await eventually(async () => expect(await dead()).toMatchObject([{ attempts: 2, cause: expect.stringContaining('longer than 20 ms') as string }]));
      expect(reasons).toEqual([new JobStopped('late'), new JobStopped('late')]);
      for (const held of late) await expect(write(held)).rejects.toThrow(LeaseLost);
      expect(await jobs.subject.notes()).toEqual([]);
    });

    it('hand over what they have in hand when the process ends, as if it had not been begun', async () => {
      const begun = gate();
      const one = newProcess().start({
        run: (held) => {
          begun.open();
          return untilStopped(held);
        },
      });
      await one.enqueue('x');
      await begun.opened;
      await one.stop();
      newProcess().start({ run: (held) => write(held, `attempt ${held.attempt}`) });
      await noted('attempt 1');
    });

    it('do not keep a process from ending that never end, nor others from the job', async () => {
      const begun = gate();
      const held: Held[] = [];
      const one = newProcess({ options: { graceMs: 1 } }).start({
        run: (job) => {
          held.push(job);
          begun.open();
          return never();
        },
      });
      await one.enqueue('x');
      await begun.opened;
      await one.stop();
      newProcess().start({ run: (job) => write(job, `attempt ${job.attempt}`) });
      await noted('attempt 1');
      await expect(inTx((tx) => (held[0] as Held).finish(tx))).rejects.toThrow(LeaseLost);
    });
  });
}
