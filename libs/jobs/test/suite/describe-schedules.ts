import { eventually } from '@twinyard/testing';
import { type Interval, LeaseLost, Schedules, type Work } from '../../src';
import type { JobProcess, JobsSubject } from '../jobs-subject';
import { cutLine, gate, RunningJobs } from './running-jobs';

const KIND = 'test.sweep';
const HOUR_MS = 3_600_000;

/** What is done again and again, on any store. */
export function describeSchedules(name: string, open: () => Promise<JobsSubject>): void {
  describe(`schedules on ${name}`, () => {
    const jobs = new RunningJobs(open);
    const { newProcess, inTx } = jobs;
    const note = (text: string) => inTx((tx) => jobs.subject.note(tx, text));
    const beginIn = async ({ jobs: entrance, runner }: JobProcess, interval: Interval, work: Work) => {
      const schedules = new Schedules(entrance, runner, jobs.subject.unitOfWork);
      schedules.every(KIND, interval, work);
      runner.onApplicationBootstrap();
      await schedules.onApplicationBootstrap();
    };
    const begin = (interval: Interval, work: Work) => beginIn(newProcess(), interval, work);

    it('have something done again and again, by one of all processes at a time', async () => {
      const by = new Set<string>();
      let [now, most] = [0, 0];
      const work = (process: string) => async () => {
        most = Math.max(most, (now += 1));
        by.add(process);
        await note(process);
        now -= 1;
      };
      await begin({ everyMs: 20 }, work('first'));
      await begin({ everyMs: 20 }, work('second'));
      await eventually(async () => expect((await jobs.subject.notes()).length).toBeGreaterThan(6));
      expect([most, (await jobs.left()).map(({ kind, queued, running, dead }) => [kind, queued + running, dead])]).toEqual([1, [[KIND, 1, 0]]]);
    });

    it('begin sooner where they are told to, once however often, and once more behind a run that is under way', async () => {
      const door = gate();
      let runs = 0;
      const { jobs: entrance, runner } = newProcess();
      const schedules = new Schedules(entrance, runner, jobs.subject.unitOfWork);
      schedules.every(KIND, { everyMs: HOUR_MS }, async () => {
        runs += 1;
        await note(`run ${runs}`);
        await door.opened;
      });
      runner.onApplicationBootstrap();
      await schedules.onApplicationBootstrap();
      for (let times = 0; times < 5; times += 1) schedules.soon(KIND);
      await eventually(async () => expect(await jobs.subject.notes()).toEqual(['run 1']));
      for (let times = 0; times < 5; times += 1) schedules.soon(KIND);
      door.open();
      await eventually(async () => expect(await jobs.subject.notes()).toEqual(['run 1', 'run 2']));
      await eventually(async () => expect((await jobs.left()).map(({ queued, running }) => [queued, running])).toEqual([[1, 0]]));
      expect(await jobs.subject.notes()).toHaveLength(2);
      expect(() => schedules.soon('test.other')).toThrow('Nothing is done again and again by the name of test.other');
    });

    it('have nothing written under the hold of a run that was taken over', async () => {
      const [begun, late, line] = [gate(), gate(), cutLine(jobs.subject.store)];
      const refused: unknown[] = [];
      const write = (text: string, hold: Parameters<Work>[1]) => inTx(async (tx) => {
        await hold(tx);
        await jobs.subject.note(tx, text);
      });
      await beginIn(newProcess({ store: line.store }), { everyMs: HOUR_MS, atStart: true }, async (_signal, hold) => {
        begun.open();
        await late.opened;
        await write('too late', hold).catch((error: unknown) => {
          refused.push(error);
          throw error;
        });
      });
      await begun.opened;
      await line.cut();
      await jobs.subject.endLeases();
      await begin({ everyMs: HOUR_MS, atStart: true }, (_signal, hold) => write('by another', hold));
      await eventually(async () => expect(await jobs.subject.notes()).toContain('by another'));
      late.open();
      await eventually(() => expect(refused).toEqual([expect.any(LeaseLost)]));
      // Its start may have ordered one more.
      expect(new Set(await jobs.subject.notes())).toEqual(new Set(['by another']));
    });

    it('go on after what has failed', async () => {
      let tries = 0;
      await begin({ everyMs: 20 }, async () => {
        tries += 1;
        if (tries < 4) throw new Error(`broken ${tries}`);
        await note('done');
      });
      await eventually(async () => expect(await jobs.subject.notes()).toContain('done'));
    });

    it('begin at the start where they are to, else after their time', async () => {
      await begin({ everyMs: HOUR_MS, atStart: true }, () => note('at the start'));
      await eventually(async () => expect(await jobs.subject.notes()).toEqual(['at the start']));
      await jobs.subject.clear();
      await begin({ everyMs: HOUR_MS }, () => note('later'));
      await eventually(async () => expect((await jobs.left()).map(({ queued }) => queued)).toEqual([1]));
      await jobs.subject.makeDue();
      await begin({ everyMs: HOUR_MS }, () => note('by another'));
      await eventually(async () => expect(await jobs.subject.notes()).toHaveLength(1));
    });

    it('have a run that a process has left behind when it ended done by another', async () => {
      const door = gate();
      const first = newProcess();
      const schedules = new Schedules(first.jobs, first.runner, jobs.subject.unitOfWork);
      let begun = false;
      schedules.every(KIND, { everyMs: HOUR_MS, atStart: true }, (signal) => {
        begun = true;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      });
      first.runner.onApplicationBootstrap();
      await schedules.onApplicationBootstrap();
      await eventually(() => begun);
      await first.stop();
      await begin({ everyMs: HOUR_MS }, async () => {
        await note('by another');
        door.open();
      });
      await door.opened;
    });
  });
}
