import { type FieldIssue, ServiceError } from '@twinyard/conventions';

/** What a request has brought, by the names of its fields. */
export interface Sent {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Faults of which a message tells; the details tell of all. */
const MOST_IN_MESSAGE = 100;
const SAYS_WHAT_WOULD_BE_RIGHT = /^(must|may|needs|takes)\b/;
/** Elsewhere it may be a secret that should have been a text. */
const OF_NUMBERS = /\b(numbers?|integers?|less than|greater than|from \d|(most|least) \d)/;
const OF_TEXTS = /\b(texts?|strings?|characters?|bytes?)\b/;
const IN_BYTES = /\bbytes\b/;
const STEPS = /[^.[\]]+/g;

/**
 * The refusal with, at each field that has to be something else, what it is: its kind and size, and a number where one is wanted. Nothing else of what was sent: it may be a secret.
 * Fields that cannot be found in the request stay as they are.
 */
export function withSentKinds(error: ServiceError, sent: Sent): ServiceError {
  if (error.status !== 400 || error.details === undefined) return error;
  let { message } = error;
  const details = error.details.map((detail, index): FieldIssue => {
    const kind = SAYS_WHAT_WOULD_BE_RIGHT.test(detail.issue) ? kindAt(detail, sent) : undefined;
    if (kind === undefined) return detail;
    const issue = `${detail.issue} (it is ${kind})`;
    if (index < MOST_IN_MESSAGE) message = message.replace(`${detail.field}: ${detail.issue}`, () => `${detail.field}: ${issue}`);
    return { field: detail.field, issue };
  });
  return new ServiceError(error.code, message, { details, headers: error.headers, cause: error.cause, ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }) });
}

function kindAt({ field, issue }: FieldIssue, sent: Sent): string | undefined {
  const value = valueOf(field, sent);
  if (typeof value === 'string' && IN_BYTES.test(issue)) return `a string of ${count(Buffer.byteLength(value), 'byte')}`;
  if (typeof value === 'number' && !(OF_NUMBERS.test(issue) && !OF_TEXTS.test(issue))) return 'a number';
  return kindOf(value);
}

function valueOf(field: string, { body, query, params }: Sent): unknown {
  if (field === 'body') return body;
  for (const source of [query, params]) if (source && Object.hasOwn(source, field)) return source[field];
  return valueAt(body, field.match(STEPS) ?? []);
}

/** Nothing where the path leads along what is not there, or the body is none that was read. */
function valueAt(body: unknown, steps: readonly string[]): unknown {
  let value = body;
  for (const step of steps) {
    if (!isPlain(value) || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

/** What JSON, a form or a query is read into, and no stream of bytes. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);

/** In the words of RFC 8259. */
function kindOf(value: unknown): string | undefined {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return `a string of ${count(value.length, 'character')}`;
  if (Array.isArray(value)) return `an array of ${count(value.length, 'entry', 'entries')}`;
  return isPlain(value) ? 'an object' : undefined;
}

const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
