/**
 * A replica that has something done again and again, in a process of its own: `node schedule-process.js <fate> <address of the subject> …`. Each run
 * notes its begin and its end. Whose fate is to die says so in its first run, and waits there for it.
 */
import { Schedules } from '../../src';
import { JobProcess } from '../jobs-subject';
import { joinSubject } from './join-subject';

export type Fate = 'dies' | 'lives';

/** Often, so that a test is short; a run that is left behind is looked for as often. */
const [EVERY_MS, LOOK_MS] = [20, 100];

async function main([fate, ...address]: readonly string[]): Promise<void> {
  const subject = await joinSubject(address);
  const { jobs, runner } = new JobProcess(subject, { options: { lookMs: LOOK_MS } });
  const schedules = new Schedules(jobs, runner, subject.unitOfWork);
  const note = (what: string) => subject.unitOfWork.run((tx) => subject.note(tx, `${process.pid} ${what}`));
  schedules.every('test.sweep', { everyMs: EVERY_MS, atStart: true }, async () => {
    await note('begins');
    if (fate === 'dies') {
      process.send?.(fate);
      await new Promise(() => undefined);
    }
    await note('ends');
  });
  runner.onApplicationBootstrap();
  await schedules.onApplicationBootstrap();
}

void main(process.argv.slice(2));
process.once('disconnect', () => process.exit(0));
