import type { Collection } from 'mongodb';
import { COUNTED, type JobState, type KindStatistics } from '../job-store';
import type { JobDocument } from './job-documents';

/** By the indexes, as many looks as there are kinds. */
export async function statisticsOf(jobs: Collection<JobDocument>, now: Date): Promise<KindStatistics[]> {
  const statistics: KindStatistics[] = [];
  for (const kind of await jobs.distinct('kind')) {
    const count = (state: JobState) => jobs.countDocuments({ kind, state }, { limit: COUNTED });
    const first = (state: JobState) => jobs.findOne({ kind, state }, { sort: { dueAt: 1 }, projection: { dueAt: 1 } });
    const [ready, waiting, running, dead, ...firsts] = await Promise.all([count('READY'), count('WAITING'), count('RUNNING'), count('DEAD'), first('READY'), first('WAITING')]);
    const oldest = Math.min(now.getTime(), ...firsts.flatMap((job) => (job === null ? [] : [job.dueAt.getTime()])));
    statistics.push({ kind, queued: ready + waiting, running, dead, oldestMs: now.getTime() - oldest });
  }
  return statistics;
}
