import { invalid } from '@twinyard/conventions';
import { type OutgoingRequest, readdressed } from '../outgoing-request';
import type { Pagination } from '../rest-params';
import { requireHost, type RestRules } from '../rest-rules';
import { type AnswerBody, parseBody } from './answer-body';
import { EndpointError } from './endpoint-error';
import { nextLink } from './link-header';
import { type Answer, requireHttp, type RestExchange, singleHeader } from './rest-exchange';

export interface Pages {
  /** Of the last. */
  readonly answer: Answer;
  readonly bodies: readonly unknown[];
  readonly remarks: readonly string[];
  /** The page that was not read, since `max` were. */
  readonly next?: string;
}

const MOST_REMARKS = 10;

/** The answer, and with `paginate` those behind it, each address once. */
export async function readPages(exchange: RestExchange, first: OutgoingRequest, rules: RestRules, paginate: Pagination | undefined): Promise<Pages> {
  const [bodies, remarks, seen]: [unknown[], string[], Set<string>] = [[], [], new Set()];
  let request = first;
  for (;;) {
    seen.add(request.url.href);
    const answer = await exchange.answerTo(request);
    const body = parseBody(answer.bytes, singleHeader(answer.headers['content-type']), answer.url.host);
    bodies.push(body.value);
    if (body.remark !== undefined && remarks.length < MOST_REMARKS) remarks.push(body.remark);
    const next = paginate && nextPage(answer, body, paginate.next);
    if (next === undefined) return { answer, bodies, remarks };
    if (bodies.length === paginate?.max) return { answer, bodies, remarks, next: next.href };
    if (seen.has(next.href)) throw new EndpointError(`The pages of ${answer.url.host} go round in a circle: page ${bodies.length} names one before it as the next`);
    requireHttp(next, answer.url.host);
    requireHost(rules, next, `Page ${bodies.length} of ${answer.url.host}`);
    request = readdressed(first, next);
  }
}

function nextPage({ headers, url }: Answer, body: AnswerBody, where: string): URL | undefined {
  const named = where === 'link' ? nextLink(headers['link']) : valueAt(body.value, where.split('.'));
  if (named === undefined || named === null || named === '' || named === false) return undefined;
  if (typeof named !== 'string' || !URL.canParse(named, url.href)) throw invalid(`_paginate.next: what the answer of ${url.host} has at ${where} is no address`);
  const next = new URL(named, url.href);
  next.hash = '';
  return next;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** Pages that are lists are one list together. */
export const joined = (bodies: readonly unknown[]): unknown => (bodies.every((body) => Array.isArray(body)) ? bodies.flat() : bodies);
