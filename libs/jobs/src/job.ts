import type { z } from 'zod';

export interface RetryPolicy {
  /** How often a job is begun before it is given up, this counts workers that died or lost their lease too. */
  readonly attempts: number;
  /** The wait before the second attempt; it doubles from attempt to attempt. */
  readonly firstMs: number;
  readonly longestMs: number;
}

export interface JobTerms {
  /** How long a worker may be silent before another takes its job over; a heartbeat renews it at a third of this. */
  readonly leaseMs: number;
  /** How long an attempt may take, a day at most; then it is stopped, and counts as one that failed. */
  readonly longestMs: number;
  readonly retry: RetryPolicy;
  /** How many jobs of the kind one process runs at a time. */
  readonly concurrency: number;
  /** How many of one namespace run at a time, in all processes together. Missing: as many as there are hands. */
  readonly perNamespace?: number;
  /** How long attempts in hand may go on when the process ends, before they are told to stop: for what cannot be taken back once it has begun. At most 10 s; missing: not at all. */
  readonly finishWithinMs?: number;
  /** What becomes of a job that was given up: it stays for the operator (`keep`, where nothing is said), or goes at once, since what it was told is not to lie about (`forget`). */
  readonly dead?: 'keep' | 'forget';
}

/** An entry of the catalogue: a kind of background work, what it is told, and the terms on which it is done. */
export interface JobDefinition<P> extends JobTerms {
  /** `<service>.<noun>`, for example `filesvc.preview`: it names the jobs in the database, in the metrics and for operators. */
  readonly kind: string;
  /** Reads what it has written, by whatever version: it makes nothing else of a payload. */
  readonly schema: z.ZodType<P, P>;
}

const KIND = /^[a-z]+\.[a-z]+(-[a-z]+)*$/;
/** Whoever has died is followed within 30 s: the lease, and the next look of those who have heard of nothing. */
export const LONGEST_LEASE_MS = 15_000;
const LONGEST_ATTEMPT_MS = 86_400_000;
const LONGEST_FINISH_MS = 10_000;

/**
 * Declares a kind of job:
 *
 *     export const PREVIEW = job('filesvc.preview', {
 *       schema: z.object({ versionId: z.uuid() }),
 *       leaseMs: 10_000,
 *       longestMs: 120_000,
 *       retry: { attempts: 9, firstMs: 2_000, longestMs: 3_600_000 },
 *       concurrency: 2,
 *     });
 *
 * Its handler is an injectable, and says so at the start: `runner.handle(PREVIEW, { run: (held) => … })`.
 */
export function job<P>(kind: string, definition: Omit<JobDefinition<P>, 'kind'>): JobDefinition<P> {
  if (!KIND.test(kind)) throw new Error(`${kind} is no name for a kind of job: it is <service>.<noun>`);
  requireTerms(kind, definition);
  return Object.freeze({ ...definition, kind });
}

/** Of the catalogue, and of the settings that change them. */
export function requireTerms(kind: string, { leaseMs, longestMs, concurrency, retry, finishWithinMs = 0 }: JobTerms): void {
  if (leaseMs < 1 || leaseMs > LONGEST_LEASE_MS) throw new Error(`${kind}: a lease is at most ${LONGEST_LEASE_MS} ms`);
  if (longestMs < 1 || longestMs > LONGEST_ATTEMPT_MS) throw new Error(`${kind}: an attempt is at most a day`);
  if (finishWithinMs < 0 || finishWithinMs > LONGEST_FINISH_MS) throw new Error(`${kind}: the end of a process waits for an attempt at most ${LONGEST_FINISH_MS} ms`);
  if (concurrency < 1 || retry.attempts < 1) throw new Error(`${kind}: at least one job at a time, and one attempt`);
}
