import { baseSettings } from '@twinyard/service-kit';
import { z } from 'zod';

export const environment = process.env;

export const metricsvcSettings = baseSettings.extend({
  FILESVC_URL: z.url().optional().describe('Address of filesvc inside the deployment; only the rebuild asks it'),
  ITEMSVC_URL: z.url().optional().describe('Address of itemsvc inside the deployment; only the rebuild asks it'),
});

export type MetricsvcSettings = z.infer<typeof metricsvcSettings>;
