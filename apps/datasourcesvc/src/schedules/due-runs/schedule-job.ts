import { job } from '@twinyard/jobs';
import { z } from 'zod';

const order = z.object({ scheduleId: z.uuid() });
export type ScheduleOrder = z.infer<typeof order>;

/** Nobody would begin it anew. */
const NO_END = 1_000_000_000;

/** A schedule, which is the key, at its next due time; it orders the one behind that as it ends. */
export const SCHEDULE = job('datasourcesvc.schedule', {
  schema: order, leaseMs: 10_000, longestMs: 60_000, retry: { attempts: NO_END, firstMs: 1_000, longestMs: 30_000 }, concurrency: 4,
});
