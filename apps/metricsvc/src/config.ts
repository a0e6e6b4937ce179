import { jobSettings } from '@twinyard/jobs';
import { baseSettings, fairShareSettings } from '@twinyard/service-kit';
import { z } from 'zod';

export const environment = process.env;

/** It answers with no lists of records, and a series has a bound of its own (`MOST_POINTS`). */
export const metricsvcSettings = baseSettings.omit({ ANSWER_MAX_BYTES: true }).extend({
  ...fairShareSettings,
  ...jobSettings,
  FILESVC_URL: z.url().optional().describe('Address of filesvc inside the deployment; the rebuild and the reconciliation ask it'),
  ITEMSVC_URL: z.url().optional().describe('Address of itemsvc inside the deployment; the rebuild and the reconciliation ask it'),
  RECONCILE_HOURS: z.coerce.number().min(0).max(8_760).default(24)
    .describe('How long after the end of one reconciliation with the other services the next begins. It needs their addresses. 0: never'),
});

export type MetricsvcSettings = z.infer<typeof metricsvcSettings>;
