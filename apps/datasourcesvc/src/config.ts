import { jobSettings } from '@twinyard/jobs';
import { baseSettings } from '@twinyard/service-kit';
import { z } from 'zod';

export const environment = process.env;

const milliseconds = z.coerce.number().int().min(10);

export const datasourcesvcSettings = baseSettings.extend({
  ...jobSettings,
  ITEMSVC_URL: z.url().describe('Address of itemsvc inside the deployment'),
  FILESVC_URL: z.url().describe('Address of filesvc inside the deployment'),
  RUN_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(2).describe('Runs that this process works on at once'),
  RUN_LEASE_MS: milliseconds.default(15_000).describe('How long a silent worker keeps its run; then another takes it over'),
  RUN_HEARTBEAT_MS: milliseconds.default(3_000).describe('How often a worker renews the lease of its run'),
  RUN_POLL_MS: milliseconds.default(1_000).describe('How often a worker with a free hand looks for runs that nobody told it of'),
});

export type DatasourcesvcSettings = z.infer<typeof datasourcesvcSettings>;
