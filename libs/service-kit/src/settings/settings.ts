import { readFileSync } from 'node:fs';
import { ANSWER_BYTES } from '@twinyard/conventions';
import { z } from 'zod';
import { eventSettings } from './event-settings';
import { lineSettings, stopSettings } from './line-settings';
import { brokenRules } from './setting-rules';

/** Settings that every service has. A service's `config.ts` extends this schema with its own. */
export const baseSettings = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000).describe('Port that the service listens on'),
  HOST: z.string().default('0.0.0.0').describe('Address that the service listens on'),
  BASE_URL: z.url().describe('Public origin of the platform, without a trailing slash').transform((url) => url.replace(/\/+$/, '')),
  DATABASE_URL: z.string().min(1).describe('PostgreSQL database of this service'),
  ...eventSettings,
  PASSPORT_URL: z.url().describe('Address of passportsvc inside the deployment'),
  SERVICE_TOKEN: z.string().min(16).describe('Secret by which the services know each other'),
  SERVICE_TOKEN_PREVIOUS: z.string().min(16).optional().describe('Another such secret that is still, or already, accepted while `SERVICE_TOKEN` is being replaced'),
  CORS_ORIGINS: z.string().default('').describe('Comma-separated origins allowed besides those of applications; `*` for any'),
  MIGRATE_ON_START: z.enum(['true', 'false']).default('true').transform((value) => value === 'true').describe('Whether a start brings the database up to date; `false` where the command `migrate` does it'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info').describe('Least severe level that is logged'),
  PURGE_SETTLE_SECONDS: z.coerce.number().int().min(0).max(86_400).default(300).describe('How long after a namespace was purged it is gone through once more, for writes that were under way; longer than any request takes'),
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(60_000).describe('Requests of one caller to this service in a minute: who its verified token says, else its address'),
  ANSWER_MAX_BYTES: z.coerce.number().int().min(1024 ** 2).max(256 * 1024 ** 2).default(ANSWER_BYTES).describe('What an answer weighs at most; a page that would be larger holds fewer entries, and its `_pageSize` says how many'),
  BODY_MEMORY_MB: z.coerce.number().int().min(18).max(4_096).default(24).describe('Megabytes of JSON bodies of more than 256 KB that one process has in memory at a time, from before they are read to their answer; one address has six tenths of them at most. A process takes several times as much for them'),
  ...lineSettings,
  ...stopSettings,
});

/** What is known of the settings of any service; not every one keeps its records in `DATABASE_URL`, or has lists that `ANSWER_MAX_BYTES` could cut. */
export type BaseSettings = Omit<z.infer<typeof baseSettings>, 'DATABASE_URL' | 'ANSWER_MAX_BYTES'>;

/** A bad environment, with the name of every bad variable and never its value. */
export class SettingsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`Bad settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/**
 * Reads the environment once. `NAME_FILE` names a file that holds the value of `NAME`, as secrets are mounted; an empty
 * variable counts as missing.
 */
export function loadSettings<S extends z.ZodObject>(schema: S, environment: NodeJS.ProcessEnv): z.infer<S> {
  const faults: string[] = [];
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = readVariable(name, environment, faults);
    if (value !== undefined) values[name] = value;
  }
  const parsed = schema.safeParse(values);
  faults.push(...brokenRules(schema, values));
  if (!parsed.success) faults.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${explain(issue, values)}`));
  if (faults.length > 0 || !parsed.success) throw new SettingsError(faults);
  return parsed.data;
}

function explain(issue: z.core.$ZodIssue, values: Record<string, string>): string {
  return values[String(issue.path[0])] === undefined ? 'is missing' : issue.message;
}

function readVariable(name: string, environment: NodeJS.ProcessEnv, faults: string[]): string | undefined {
  const file = environment[`${name}_FILE`];
  if (!file) return environment[name] || undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    faults.push(`${name}_FILE: the file cannot be read`);
    return undefined;
  }
}
