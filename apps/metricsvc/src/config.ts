import { baseSettings } from '@twinyard/service-kit';
import type { z } from 'zod';

export const environment = process.env;

export const metricsvcSettings = baseSettings;

export type MetricsvcSettings = z.infer<typeof metricsvcSettings>;
