import { z } from 'zod';

/** For the settings of each service that has jobs: `baseSettings.extend({ ...jobSettings, … })`. */
export const jobSettings = {
  JOBS_PER_NAMESPACE: z.coerce.number().int().min(1).max(10_000).default(16)
    .describe('How many background jobs of one kind and one namespace run at a time, in all processes of the service together'),
  JOBS_KEEP_DEAD_DAYS: z.coerce.number().int().min(1).max(365).default(14)
    .describe('How long background jobs that were given up are kept for the operator, who can have them done again'),
};
