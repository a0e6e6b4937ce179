import type { Hold } from '../job-store';
import { type JobDocument, JOBS } from './job-documents';
import { dueState, jobsIn, reading, unlessInHand, type Writes } from './mongo-writes';

/** The jobs of these claims that are still held by them. */
export async function heldBy(writes: Writes, holds: readonly Hold[]): Promise<JobDocument[]> {
  const tokens = new Map(holds.map(({ id, token }) => [id, token]));
  const found = await jobsIn(writes).find({ _id: { $in: [...tokens.keys()] }, state: 'RUNNING' }, reading(writes)).toArray();
  return found.filter(({ _id, token }) => tokens.get(_id) === token);
}

/** Under the same claim, and not enqueued again since it was read. */
const unchanged = ({ _id, token, again }: JobDocument) => ({ _id, token, state: 'RUNNING' as const, again: again ?? { $exists: false } });

/** A job that nobody holds any more, or that was enqueued again while it ran. False when that has changed meanwhile. */
export async function putBack(writes: Writes, job: JobDocument, now: Date): Promise<boolean> {
  const { _id, again, attempts, dueAt } = job;
  await writes.touch(JOBS, [_id]);
  const change = { $set: { state: dueState(dueAt, now), attempts: again ? 0 : attempts }, $unset: { again: 1 } } as const;
  return (await jobsIn(writes).updateOne(unchanged(job), change, writes.options)).matchedCount === 1;
}

/** Ends jobs: they are gone, or run once more where they were enqueued again meanwhile. Resolves with them as they were; lost ones are missing. */
export async function endAll(writes: Writes, holds: readonly Hold[], now: Date): Promise<JobDocument[]> {
  const held = await heldBy(writes, holds);
  for (const job of held.filter(({ again }) => again)) await unlessInHand(putBack(writes, job, now));
  const gone = held.filter(({ again }) => !again);
  if (gone.length > 0) {
    await writes.touch(JOBS, gone.map(({ _id }) => _id));
    await unlessInHand(jobsIn(writes).deleteMany({ $or: gone.map(unchanged) }, writes.options));
  }
  return held;
}
