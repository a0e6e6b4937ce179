import { doubledWait, type FieldIssue, ServiceError } from '@twinyard/conventions';
import { parseInterval } from '../orchestrators/run-interval';
import { PlatformError } from '../platform-client/platform-error';

/** How often a step is begun again when it fails (contract 5). */
export interface StepRetry {
  readonly max: number;
  /** Before the first time, in the form of `runinterval`; it doubles from one to the next. */
  readonly backoff: string;
  /** Also when it is refused for good. */
  readonly on?: 'ANY';
}

export interface StepTerms {
  readonly retry?: StepRetry;
  /** Of one attempt, in the form of `runinterval`. */
  readonly timeout?: string;
}

const MOST_RETRIES = 10;
const BACKOFF = '* * 1';
const LONGEST_BACKOFF_MS = 86_400_000;
/** More than it is told, at most: what has failed together does not come back together. */
const JITTER = 0.25;
/** What is asked again as it was is answered so again. */
const FOR_GOOD = [400, 403];

type Fields = Readonly<Record<string, unknown>>;

/** `_retry` and `_timeout` of a task; `issues` gets every fault. */
export function parseStepTerms(source: Fields, at: string, issues: FieldIssue[]): StepTerms {
  const retry = parseRetry(source['_retry'], `${at}._retry`, issues);
  const timeout = parseTime(source['_timeout'], `${at}._timeout`, issues);
  return { ...(retry && { retry }), ...(timeout !== undefined && { timeout }) };
}

function parseRetry(value: unknown, field: string, issues: FieldIssue[]): StepRetry | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) {
    issues.push({ field, issue: 'must be an object' });
    return undefined;
  }
  const { _max, _backoff, _on } = value as Fields;
  const backoff = parseBackoff(_backoff, `${field}._backoff`, issues);
  const max = parseMax(_max, `${field}._max`, issues);
  const isAny = parseOn(_on, `${field}._on`, issues);
  return { max, backoff, ...(isAny && { on: 'ANY' as const }) };
}

function parseBackoff(value: unknown, field: string, issues: FieldIssue[]): string {
  const backoff = parseTime(value, field, issues) ?? BACKOFF;
  if ((parseInterval(backoff) ?? 0) > LONGEST_BACKOFF_MS) issues.push({ field, issue: 'must be a day at most' });
  return backoff;
}

function parseMax(value: unknown, field: string, issues: FieldIssue[]): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_RETRIES) return value;
  issues.push({ field, issue: `must be a whole number from 0 to ${MOST_RETRIES}` });
  return 0;
}

/** Whether it is tried again whatever it failed of. */
function parseOn(value: unknown, field: string, issues: FieldIssue[]): boolean {
  if (value !== undefined && value !== null && value !== 'ANY') issues.push({ field, issue: 'must be "ANY", or is left out' });
  return value === 'ANY';
}

function parseTime(value: unknown, field: string, issues: FieldIssue[]): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && parseInterval(value) !== undefined) return value;
  issues.push({ field, issue: 'must have the form "<hours> <minutes> <seconds>", where * is 0' });
  return undefined;
}

/** As a task says it. */
export const toTaskTerms = ({ retry, timeout }: StepTerms) => ({
  ...(retry && { _retry: { _max: retry.max, _backoff: retry.backoff, ...(retry.on && { _on: retry.on }) } }),
  ...(timeout !== undefined && { _timeout: timeout }),
});

/** In ms, when so many attempts have failed; `undefined` where there is no other. */
export function waitBeforeNext(retry: StepRetry | null, attempts: number, random = Math.random()): number | undefined {
  if (retry === null || attempts > retry.max) return undefined;
  const wait = doubledWait({ firstMs: parseInterval(retry.backoff) ?? 0, longestMs: LONGEST_BACKOFF_MS }, attempts - 1);
  return Math.round(wait * (1 + random * JITTER));
}

export const isRefusedForGood = (error: unknown): boolean => (error instanceof PlatformError || error instanceof ServiceError) && FOR_GOOD.includes(error.status ?? 0);
