import { type FieldIssue, invalidField, invalidFields } from '@twinyard/conventions';
import type { LimitValues } from '../apps/app.entity';

/** A configuration key and what it is called to people (specification 1). */
export interface ConfigurationKey {
  readonly key: string;
  readonly displayText: string;
}

export const ORGANIZATION_KEYS: readonly ConfigurationKey[] = [
  { key: 'applications.limit', displayText: 'Maximum number of applications' },
  { key: 'workspaces.limit', displayText: 'Maximum number of workspaces' },
  { key: 'usergroups.limit', displayText: 'Maximum number of user groups' },
];

export const APPLICATION_KEYS: readonly ConfigurationKey[] = ORGANIZATION_KEYS.filter(({ key }) => key !== 'applications.limit');

/** The keys as the reference has them. */
export const KEYS_SCHEMA = {
  type: 'array',
  items: { type: 'object', required: ['key', 'displayText'], properties: { key: { type: 'string', description: 'Key of the configuration' }, displayText: { type: 'string', description: 'What it is called to people' } } },
};

/** A configuration as the reference has it. */
export const limitsSchema = (known: readonly ConfigurationKey[]) => ({
  type: 'object', properties: Object.fromEntries(known.map(({ key, displayText }) => [key, { type: 'integer', minimum: 0, description: displayText }])),
});

/** Contract 1.4: numbers from 0 on, under known keys alone; every fault is named. A number may come as text, as clients send it. */
export function parseLimits(body: unknown, known: readonly ConfigurationKey[]): LimitValues {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw invalidField('body', 'must be an object');
  const issues: FieldIssue[] = [];
  const limits: Record<string, number> = {};
  for (const [key, value] of Object.entries(body)) {
    if (!known.some((one) => one.key === key)) issues.push({ field: key, issue: 'is no key of this configuration' });
    else if (!isLimit(value)) issues.push({ field: key, issue: 'must be a whole number, 0 or more' });
    else limits[key] = Number(value);
  }
  if (issues.length > 0) throw invalidFields(issues);
  return limits;
}

const isLimit = (value: unknown): boolean =>
  (typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))) && Number.isSafeInteger(Number(value)) && Number(value) >= 0;
