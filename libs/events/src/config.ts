import { loadSettings } from '@twinyard/service-kit';
import { z } from 'zod';

const settings = z.object({ EVENTS_DATABASE_URL: z.string().min(1) });

/** Settings of the operator's commands of this lib. */
export const readSettings = () => loadSettings(settings, process.env);
