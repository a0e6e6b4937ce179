import { invalidField } from '@twinyard/conventions';
import { parseInterval } from '../../orchestrators/run-interval';
import { optionalText, requiredText, type StepParams } from '../step-params';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type RestMethod = (typeof METHODS)[number];

/** How the pages behind the first are found. */
export interface Pagination {
  /** A dotted path in the body, or `link` for the header. */
  readonly next: string;
  /** Pages that are read at most. */
  readonly max: number;
}

/** The parameters of `rest_connector`; placeholders stand in them yet. */
export interface RestParams {
  readonly url: string;
  readonly method: RestMethod;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** From what a placeholder says to the name of a secret; without it each is the name itself. */
  readonly secrets: ReadonlyMap<string, string> | undefined;
  /** For everything together: waits, redirects and pages. */
  readonly timeoutMs: number;
  /** What counts as an answer; any from 200 to 299 without it. */
  readonly expect: ReadonlySet<number> | undefined;
  readonly paginate: Pagination | undefined;
}

const TIMEOUT_MS = 300_000;
export const LONGEST_MS = 3_600_000;
const MOST_PAGES = 1_000;
const BODILESS: readonly RestMethod[] = ['GET', 'HEAD'];

export function parseRestParams(params: StepParams): RestParams {
  const method = methodOf(params);
  const body = params['body'] ?? undefined;
  if (body !== undefined && BODILESS.includes(method)) throw invalidField('body', `${method} has none`);
  const paginate = paginationOf(params);
  if (paginate !== undefined && method !== 'GET') throw invalidField('_paginate', 'is for GET alone');
  return {
    url: requiredText(params, 'url'), method, body, paginate,
    headers: objectOf(params, 'headers') ?? {}, query: objectOf(params, 'query') ?? {},
    secrets: secretsOf(params), timeoutMs: timeoutOf(params), expect: statusesOf(params['_expect'] ?? undefined),
  };
}

function methodOf(params: StepParams): RestMethod {
  const written = (optionalText(params, 'method') ?? 'GET').toUpperCase();
  const method = METHODS.find((known) => known === written);
  if (method === undefined) throw invalidField('method', `must be one of ${METHODS.join(', ')}`);
  return method;
}

function objectOf(params: StepParams, name: string): Readonly<Record<string, unknown>> | undefined {
  const value = params[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidField(name, 'must be an object');
  return value as Readonly<Record<string, unknown>>;
}

function secretsOf(params: StepParams): ReadonlyMap<string, string> | undefined {
  const value = params['_secrets'] ?? undefined;
  if (value === undefined) return undefined;
  const pairs: [unknown, unknown][] = Array.isArray(value) ? value.map((name: unknown) => [name, name]) : Object.entries(value);
  if (typeof value !== 'object' || !pairs.every(([key, name]) => typeof key === 'string' && typeof name === 'string')) {
    throw invalidField('_secrets', 'must be an array of the names of secrets, or an object from what a placeholder says to the name of a secret');
  }
  return new Map(pairs as [string, string][]);
}

function timeoutOf(params: StepParams): number {
  const text = optionalText(params, '_timeout');
  const ms = text === undefined ? TIMEOUT_MS : parseInterval(text, LONGEST_MS);
  if (ms === undefined || ms === 0) throw invalidField('_timeout', 'must have the form "<hours> <minutes> <seconds>", where * is 0, from a second to an hour');
  return ms;
}

function statusesOf(value: unknown): ReadonlySet<number> | undefined {
  if (value === undefined) return undefined;
  const statuses: unknown[] = Array.isArray(value) ? value : [value];
  const isStatus = (status: unknown) => typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
  if (statuses.length === 0 || !statuses.every(isStatus)) throw invalidField('_expect', 'must be an array of statuses, from 200 to 599');
  return new Set(statuses as number[]);
}

function paginationOf(params: StepParams): Pagination | undefined {
  const paginate = objectOf(params, '_paginate');
  if (paginate === undefined) return undefined;
  const { next, max } = paginate;
  if (typeof next !== 'string' || next === '') throw invalidField('_paginate.next', 'must be a dotted path in the body, or "link"');
  if (typeof max !== 'number' || !Number.isInteger(max) || max < 1 || max > MOST_PAGES) throw invalidField('_paginate.max', `must be a whole number from 1 to ${MOST_PAGES}`);
  return { next, max };
}
