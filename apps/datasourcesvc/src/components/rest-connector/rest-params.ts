import type { FieldIssue } from '@twinyard/conventions';
import { z } from 'zod';
import { parseInterval } from '../../orchestrators/run-interval';
import { text } from '../component-params';
import { TO_FILE, type ToFile } from './file-answer/to-file';

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
  /** Where the body goes; it is answered without it. */
  readonly toFile: ToFile | undefined;
}

export const LONGEST_MS = 3_600_000;
const MOST_PAGES = 1_000;
const BODILESS: readonly RestMethod[] = ['GET', 'HEAD'];

const SECRETS = 'must be an array of the names of secrets, or an object from what a placeholder says to the name of a secret';
const STATUSES = { error: 'must be an array of statuses, from 200 to 599' };
const TIMEOUT = 'must have the form "<hours> <minutes> <seconds>", where * is 0, from a second to an hour';
const NEXT = 'must be a dotted path in the body, or "link"';
const PAGES = `must be a whole number from 1 to ${MOST_PAGES}`;

const STATUS = { error: 'must be a status, from 200 to 599' };
const status = z.int(STATUS).min(200, STATUS).max(599, STATUS);

export const REST_PARAMS = z.object({
  url: text('Of http or https. In it, and in all texts below, `{{inparams.a.b}}` and `{{actualParams.x}}` are replaced', { examples: ['https://weather.example.com/v1/{{actualParams.station}}'] }),
  method: z.string().toUpperCase().pipe(z.enum(METHODS)).default('GET').meta({ description: 'Of the request', enum: METHODS }),
  headers: z.record(z.string(), z.unknown()).default({}).meta({ description: 'From name to value; values may hold `{{secret:<name>}}`', examples: [{ authorization: 'Bearer {{secret:weather}}' }] }),
  query: z.record(z.string(), z.unknown()).default({}).meta({ description: 'From name to a value, or to an array of values' }),
  body: z.unknown().optional().meta({ description: 'A text is sent as it is, anything else as JSON; it may hold `{{secret:<name>}}`' }),
  _secrets: z.union([z.array(z.string()), z.record(z.string(), z.string())], { error: SECRETS }).optional().meta({
    description: 'The secrets that the step may use, or an object from what placeholders say to their names; else any that the run may read',
  }),
  _timeout: z.string().refine((written) => (parseInterval(written, LONGEST_MS) ?? 0) > 0, { error: TIMEOUT }).default('0 5 0').meta({ description: '`<h> <m> <s>` for everything together, an hour at most' }),
  _expect: z.union([z.array(status).min(1, STATUSES), status], STATUSES).optional().meta({ description: 'Statuses that are an answer; else those from 200 to 299', examples: [[200, 404]] }),
  _paginate: z.object({ next: z.string({ error: NEXT }).min(1, { error: NEXT }), max: z.int({ error: PAGES }).min(1, { error: PAGES }).max(MOST_PAGES, { error: PAGES }) }).optional().meta({
    description: 'The address of the next page is at the dotted path `next` of the body, or in the header with `link`; `max` pages are read at most', examples: [{ next: 'links.next', max: 20 }],
  }),
  _toFile: TO_FILE.optional().meta({
    description: 'The body goes into this file as it comes, whatever it is; the step returns `file` in the place of `body`. Not with `_paginate`, nor for HEAD',
    examples: [{ name: 'report {{inparams.day}}.pdf', _tags: ['report'] }],
  }),
});

type GivenParams = z.output<typeof REST_PARAMS>;

export const conflictsOfRestParams = ({ _paginate, _toFile }: Readonly<Record<string, unknown>>): FieldIssue[] =>
  (_paginate === undefined || _toFile === undefined ? [] : [{ field: '_toFile', issue: 'is not for pages: leave out _paginate' }]);

export function faultsOfRestParams({ method, body, _paginate, _toFile }: Readonly<Record<string, unknown>>): FieldIssue[] {
  const faults: FieldIssue[] = [];
  if (body !== undefined && BODILESS.includes(method as RestMethod)) faults.push({ field: 'body', issue: `${String(method)} has none` });
  if (_paginate !== undefined && method !== 'GET') faults.push({ field: '_paginate', issue: 'is for GET alone' });
  if (_toFile !== undefined && method === 'HEAD') faults.push({ field: '_toFile', issue: 'is not for HEAD, whose answers have no body' });
  return faults;
}

export const toRestParams = ({ url, method, headers, query, body, _secrets, _timeout, _expect, _paginate: paginate, _toFile: toFile }: GivenParams): RestParams => ({
  url, method, headers, query, body, paginate, toFile,
  secrets: _secrets && new Map(Array.isArray(_secrets) ? _secrets.map((name): [string, string] => [name, name]) : Object.entries(_secrets)),
  timeoutMs: parseInterval(_timeout, LONGEST_MS) ?? LONGEST_MS,
  expect: _expect === undefined ? undefined : new Set([_expect].flat()),
});
