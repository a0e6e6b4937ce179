import { eventSettings, loadSettings } from '@twinyard/service-kit';
import { z } from 'zod';

/** Settings of the operator's commands of this lib: which event log, and how to reach it. */
export const readSettings = () => loadSettings(z.object(eventSettings), process.env);
