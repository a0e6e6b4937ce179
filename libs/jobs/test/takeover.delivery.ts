import { eventually } from '@twinyard/testing';
import { JobProcess, type JobsSubject } from './jobs-subject';
import { openSqlSubject } from './sql-subject';
import { killedAt } from './suite/killed-worker';

const WITHIN_MS = 30_000;

describe('a worker that is killed', () => {
  let subject: JobsSubject;
  let follower: JobProcess | undefined;
  beforeAll(async () => {
    subject = await openSqlSubject();
  });
  afterAll(async () => {
    await follower?.stop();
    await subject?.close();
  });

  /** In the time that is promised, from the kill on: nobody helps its lease to end. */
  it('is followed within thirty seconds, at the longest lease that there is', async () => {
    follower = new JobProcess(subject);
    await follower.enqueue('x');
    await killedAt('working', subject.address);
    const killedAtMs = performance.now();
    follower.start({
      run: (held) => subject.unitOfWork.run(async (tx) => {
        await subject.note(tx, `attempt ${held.attempt}`);
        await held.finish(tx);
      }),
    });
    await eventually(async () => expect(await subject.notes()).toEqual(['attempt 2']), { timeoutMs: WITHIN_MS });
    expect(performance.now() - killedAtMs).toBeLessThan(WITHIN_MS);
  });
});
