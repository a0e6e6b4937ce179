import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { eventually } from '@twinyard/testing';
import type { JobsSubject } from '../jobs-subject';
import type { Fate } from '../killed/schedule-process';

const REPLICA = resolve(__dirname, '..', '..', '..', '..', 'dist', 'libs', 'jobs', 'test', 'killed', 'schedule-process.js');
/** What is done behind the kill: begins and ends. */
const NOTES = 10;

/** What is done again and again by three replicas, one of which is killed in its run. */
export function describeKilledSchedules(name: string, open: () => Promise<JobsSubject>): void {
  describe(`schedules of replicas that are killed on ${name}`, () => {
    let subject: JobsSubject;
    const replicas: ChildProcess[] = [];

    beforeAll(async () => {
      subject = await open();
    });
    afterAll(async () => {
      await Promise.all(replicas.map(killed));
      await subject?.close();
    });

    const begin = (fate: Fate) => {
      const replica = fork(REPLICA, [fate, ...subject.address], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      replicas.push(replica);
      return replica;
    };

    it('go on with another, one run at a time', async () => {
      const [dying] = [begin('dies'), begin('lives'), begin('lives')] as const;
      const [said] = (await Promise.race([once(dying, 'message'), once(dying, 'exit')])) as [unknown];
      expect(said).toBe('dies');
      const inItsRun = `${dying.pid} begins`;
      const before = await subject.notes();
      expect(before.at(-1)).toBe(inItsRun);
      await killed(dying);
      await subject.endLeases();
      await eventually(async () => expect((await subject.notes()).length).toBeGreaterThan(before.length + NOTES));
      const notes = await subject.notes();
      expect(notes.filter((note) => note.startsWith(`${dying.pid} `))).toEqual([inItsRun]);
      expect(besideOthers(notes.filter((note) => note !== inItsRun))).toEqual([]);
    });
  });
}

/** Runs that have begun or ended while that of another was under way. */
function besideOthers(notes: readonly string[]): string[] {
  let running: string | undefined;
  return notes.filter((note) => {
    const [who = '', what] = note.split(' ');
    const isAlone = what === 'begins' ? running === undefined : running === who;
    running = what === 'begins' ? who : undefined;
    return !isAlone;
  });
}

async function killed(replica: ChildProcess): Promise<void> {
  replica.kill('SIGKILL');
  if (replica.exitCode === null && replica.signalCode === null) await once(replica, 'exit');
}
