import { exactlyOneOf, loadSettings } from '@twinyard/service-kit';
import { z } from 'zod';

const settings = z.object({
  ...exactlyOneOf({ DATABASE_URL: z.string().min(1), MONGO_URL: z.string().min(1) }),
  MONGO_ALLOW_STANDALONE: z.enum(['true', 'false']).default('false').transform((value) => value === 'true'),
});

/** Settings of the operator's command of this lib: which database the jobs are in. */
export const readSettings = () => loadSettings(settings, process.env);
