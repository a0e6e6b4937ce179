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
  INSTANT_RUN_SECONDS: z.coerce.number().int().min(1).max(3_600).default(30).describe('How long a request waits for its instant run; then the run is cancelled, and the answer is 400'),
  LOG_STREAMS: z.coerce.number().int().min(2).max(10_000).default(100).describe('Logs of runs that this process tells while they are written (`follow=true`), `TENANT_SHARE` of them of one namespace; more are answered 429. Each holds a place of `UPSTREAM_CONNECTIONS` in the gateway'),
  RUN_LEASE_MS: leaseSetting('its run', { leastMs: 10, defaultMs: LONGEST_LEASE_MS }),
});

export type DatasourcesvcSettings = z.infer<typeof datasourcesvcSettings>;
