import { eventually } from '@twinyard/testing';
import type { Step } from '../job-process';
import { JobProcess, type JobsSubject } from '../jobs-subject';
import { killedAt } from './killed-worker';

/** What is seen of the job when its worker is dead. */
type Leaves = 'waits' | 'runs' | 'is gone';
export type Kill = readonly [when: string, step: Step, leaves: Leaves, written: readonly string[]];

const KILLS: readonly Kill[] = [
  ['before the commit of its claim', 'claiming', 'waits', ['x, attempt 1']],
  ['after its claim', 'claimed', 'runs', ['x, attempt 2']],
  ['in its work', 'working', 'runs', ['x, attempt 2']],
  ['after what it writes, before the end of the job', 'written', 'runs', ['x, attempt 2']],
  ['after the commit of both, before its next claim', 'finished', 'is gone', ['x, attempt 1']],
  // What does not end its job in the transaction of its work is done once more.
  ['after work whose job its next claim would have ended', 'returned', 'runs', ['x, attempt 1', 'x, attempt 2']],
];

/** `kill -9` at every step of a job: another worker does what is left, once. `more`: steps that not every store can be killed at in a test. */
export function describeKilledWorkers(name: string, open: () => Promise<JobsSubject>, more: readonly Kill[] = []): void {
  describe(`workers that are killed on ${name}`, () => {
    let subject: JobsSubject;
    let follower: JobProcess | undefined;

    beforeAll(async () => {
      subject = await open();
    });
    afterEach(async () => {
      await follower?.stop();
      await subject.clear();
    });
    afterAll(() => subject?.close());

    async function left(): Promise<Leaves> {
      const [one] = await subject.store.statistics();
      if (one === undefined) return 'is gone';
      return one.running > 0 ? 'runs' : 'waits';
    }

    it.each([...KILLS, ...more])('are followed %s (%s): the job %s, and what is left of it is done, once', async (_when, step, leaves, written) => {
      follower = new JobProcess(subject);
      await follower.enqueue('x');
      await killedAt(step, subject.address);
      expect(await left()).toBe(leaves);
      await subject.endLeases();
      follower.start({
        run: (held) => subject.unitOfWork.run(async (tx) => {
          await subject.note(tx, `${held.payload.text}, attempt ${held.attempt}`);
          await held.finish(tx);
        }),
      });
      await follower.enqueue('y');
      await eventually(async () => expect((await subject.notes()).sort()).toEqual([...written, 'y, attempt 1']));
      await eventually(async () => expect(await subject.store.statistics()).toEqual([]));
      expect((await subject.notes()).sort()).toEqual([...written, 'y, attempt 1']);
    });
  });
}
