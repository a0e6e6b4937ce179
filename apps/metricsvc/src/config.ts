import { baseSettings } from '@twinyard/service-kit';
import { z } from 'zod';

export const environment = process.env;

/** It answers with no lists of records. */
export const metricsvcSettings = baseSettings.omit({ ANSWER_MAX_BYTES: true }).extend({
  FILESVC_URL: z.url().optional().describe('Address of filesvc inside the deployment; only the rebuild asks it'),
  ITEMSVC_URL: z.url().optional().describe('Address of itemsvc inside the deployment; only the rebuild asks it'),
});

export type MetricsvcSettings = z.infer<typeof metricsvcSettings>;
