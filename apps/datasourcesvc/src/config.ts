import { jobSettings, LONGEST_LEASE_MS } from '@twinyard/jobs';
import { baseSettings } from '@twinyard/service-kit';
import { z } from 'zod';

export const environment = process.env;

const milliseconds = z.coerce.number().int().min(10);

export const datasourcesvcSettings = baseSettings.extend({
  ...jobSettings,
  ITEMSVC_URL: z.url().describe('Address of itemsvc inside the deployment'),
  FILESVC_URL: z.url().describe('Address of filesvc inside the deployment'),
  RUN_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(2).describe('Runs that this process works on at once'),
  RUN_LEASE_MS: milliseconds.default(LONGEST_LEASE_MS).transform((ms) => Math.min(ms, LONGEST_LEASE_MS)).describe('How long a silent worker keeps its run, 15000 at most; then another takes it over'),
});

export type DatasourcesvcSettings = z.infer<typeof datasourcesvcSettings>;
