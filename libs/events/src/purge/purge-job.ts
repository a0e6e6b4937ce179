import type { ServiceName } from '@twinyard/conventions';
import { type EnqueueOptions, job, type JobDefinition } from '@twinyard/jobs';
import { z } from 'zod';
import type { PurgeRequest } from './purge-store';

/**
 * FIRST removes what there is. A write that was allowed before the namespace was closed may commit after that; LAST comes when no such
 * write can be under way any more. `removed`: records, so far.
 */
const purge = z.object({ namespace: z.string(), askedById: z.string(), requestId: z.string(), pass: z.enum(['FIRST', 'LAST']), removed: z.number().int().min(0) });
export type Purge = z.infer<typeof purge>;

const LONGEST_MS = 600_000;
/** A purge is never given up: nobody would begin it anew. */
const RETRY = { attempts: 1_000_000_000, firstMs: 5_000, longestMs: 60_000 };

/** What empties a namespace in a service. */
export const purgeJob = (service: ServiceName): JobDefinition<Purge> =>
  job(`${service}.purge`, { schema: purge, leaseMs: 10_000, longestMs: LONGEST_MS, retry: RETRY, concurrency: 1 });

/** One for each namespace, and nobody's own: the jobs of the namespace go with it. */
export const placeOf = ({ namespace, requestId }: PurgeRequest): EnqueueOptions & { readonly key: string } => ({ namespace: '', key: namespace, requestId });

export const begun = ({ namespace, askedById, requestId }: PurgeRequest): Purge => ({ namespace, askedById, requestId, pass: 'FIRST', removed: 0 });

export interface PurgeOptions {
  readonly service: ServiceName;
  /** Longer than any write that began before the namespace was closed. */
  readonly settleMs: number;
}

export const PURGE_OPTIONS = Symbol('purge options');
