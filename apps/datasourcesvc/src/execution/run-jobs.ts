import { job } from '@twinyard/jobs';
import { z } from 'zod';

const order = z.object({ runId: z.uuid() });
export type RunOrder = z.infer<typeof order>;

/** A run that kills its workers would go on killing them. */
export const MAX_TAKEOVERS = 10;
/** Runs inside of requests that one process has under way; more than these are asked to come again. */
export const MAX_INSTANT = 16;
/** Of them, those that have a script in hand, which takes much memory: the others wait for their turn, as long as their requests do. */
export const INSTANT_SCRIPTS = 4;

/**
 * An attempt goes on with the step that the one before it was at; the last takes back what those before it have left. Settings decide the rest.
 * Why a run was given up stands with the run.
 */
const terms = {
  schema: order, leaseMs: 15_000, longestMs: 86_400_000, retry: { attempts: MAX_TAKEOVERS + 2, firstMs: 1_000, longestMs: 60_000 }, dead: 'forget',
} as const;

/** A run, which is the key. */
export const RUN = job('datasourcesvc.run', { ...terms, concurrency: 2 });
/** One that a request waits for: it stands behind no other. */
export const INSTANT_RUN = job('datasourcesvc.instant-run', { ...terms, concurrency: MAX_INSTANT });
