import { jobSettings } from '@twinyard/jobs';
import { baseSettings, fairShareSettings } from '@twinyard/service-kit';
import type { z } from 'zod';

export const environment = process.env;

export const aisvcSettings = baseSettings.extend({ ...fairShareSettings, ...jobSettings });

export type AisvcSettings = z.infer<typeof aisvcSettings>;
