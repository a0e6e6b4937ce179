import { z } from 'zod';
import { LONGEST_LEASE_MS } from './job';

/** Of work that a service does by jobs: `what` a silent worker keeps that long. More than a lease may be is taken for the most. */
export const leaseSetting = (what: string, { leastMs, defaultMs }: { readonly leastMs: number; readonly defaultMs: number }) =>
  z.coerce.number().int().min(leastMs).default(defaultMs).transform((ms) => Math.min(ms, LONGEST_LEASE_MS))
    .describe(`How long a silent worker keeps ${what}, ${LONGEST_LEASE_MS} at most; then another takes it over`);

/** For the settings of each service that has jobs: `baseSettings.extend({ ...jobSettings, … })`. */
export const jobSettings = {
  JOBS_PER_NAMESPACE: z.coerce.number().int().min(1).max(10_000).default(16)
    .describe('How many background jobs of one kind and one namespace run at a time, in all processes of the service together'),
  JOBS_AT_ONCE: z.coerce.number().int().min(1).max(10_000).default(64)
    .describe('How many background jobs of all kinds one process does at a time; a kind of which it does none may always have one'),
  JOBS_KEEP_DEAD_DAYS: z.coerce.number().int().min(1).max(365).default(14)
    .describe('How long background jobs that were given up are kept for the operator, who can have them done again'),
};
