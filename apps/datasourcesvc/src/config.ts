import { jobSettings, leaseSetting, LONGEST_LEASE_MS } from '@twinyard/jobs';
import { baseSettings, fairShareSettings } from '@twinyard/service-kit';
import { z } from 'zod';

export const environment = process.env;

export const datasourcesvcSettings = baseSettings.extend({
  ...fairShareSettings,
  ...jobSettings,
  ITEMSVC_URL: z.url().describe('Address of itemsvc inside the deployment'),
  FILESVC_URL: z.url().describe('Address of filesvc inside the deployment'),
  RUN_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(2).describe('Runs that this process works on at once'),
  RUN_LEASE_MS: leaseSetting('its run', { leastMs: 10, defaultMs: LONGEST_LEASE_MS }),
});

export type DatasourcesvcSettings = z.infer<typeof datasourcesvcSettings>;
