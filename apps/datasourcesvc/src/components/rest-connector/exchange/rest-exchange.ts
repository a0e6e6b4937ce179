import { setTimeout as delay } from 'node:timers/promises';
import { forbidden } from '@twinyard/conventions';
import { signalWithin } from '@twinyard/service-kit';
import { type OutgoingRequest, readdressed } from '../outgoing-request';
import { requireHost, type RestRules } from '../rest-rules';
import { MOST_BYTES, readBytes } from './answer-bytes';
import { excerptOf } from './answer-body';
import { EndpointError } from './endpoint-error';
import type { RestLine, RestResponse } from './rest-line';
import { retryAfterMs } from './retry-after';

export interface Answer {
  readonly status: number;
  readonly headers: RestResponse['headers'];
  readonly bytes: Buffer;
  /** Where it came from, behind all redirects. */
  readonly url: URL;
}

/** The head of an answer, whose body is on the line. */
export interface OpenAnswer {
  readonly response: RestResponse;
  /** Where it comes from, behind all redirects. */
  readonly url: URL;
}

export interface ExchangeTerms {
  readonly rules: RestRules;
  readonly signal: AbortSignal;
  /** By the clock of `performance.now()`. */
  readonly endsAt: number;
  readonly expect: ReadonlySet<number> | undefined;
  readonly hide: (text: string) => string;
  readonly note: (message: string) => Promise<void>;
}

const WAITING: readonly number[] = [429, 503];
const REDIRECTING: readonly number[] = [301, 302, 303, 307, 308];
const MOST_REDIRECTS = 5;
const MOST_WAITS = 50;
const LEAST_WAIT_MS = 100;
/** Of an answer that is left, so that its connection can be used again. */
const REST = { bytes: 65_536, ms: 1_000 } as const;

/** Requests and their answers: redirects are followed within the hosts that may be called, and 429 and 503 waited for as they ask. */
export class RestExchange {
  private left = MOST_BYTES;
  private waits = 0;

  constructor(private readonly line: RestLine, private readonly terms: ExchangeTerms) {}

  /** @throws EndpointError, ServiceError `forbidden` or `invalid` */
  async answerTo(first: OutgoingRequest): Promise<Answer> {
    const { response, url } = await this.open(first);
    const bytes = await readBytes(response, url.host, this.left);
    this.left -= bytes.length;
    return { status: response.statusCode, headers: response.headers, bytes, url };
  }

  /** The answer that is expected; its body is for the caller to read, or to destroy. */
  async open(first: OutgoingRequest): Promise<OpenAnswer> {
    let request = first;
    for (let redirects = 0; redirects <= MOST_REDIRECTS;) {
      const response = await this.line.send(request);
      if (this.isExpected(response.statusCode)) return { response, url: request.url };
      const next = this.redirected(request, response);
      const waitMs = next === undefined ? this.askedToWait(request, response) : 0;
      if (waitMs === undefined) throw await this.refusal(request, response);
      await this.leave(response);
      if (next === undefined) await this.wait(request, response, waitMs);
      else redirects += 1;
      request = next ?? request;
    }
    throw new EndpointError(`${first.url.host} leads to more than ${MOST_REDIRECTS} redirects, one behind the other`);
  }

  private isExpected(status: number): boolean {
    return this.terms.expect?.has(status) ?? (status >= 200 && status <= 299);
  }

  /** `undefined` where the answer sends nobody on. */
  private redirected(request: OutgoingRequest, { statusCode, headers }: RestResponse): OutgoingRequest | undefined {
    const location = singleHeader(headers['location']);
    if (!REDIRECTING.includes(statusCode) || location === '') return undefined;
    const { host, href } = request.url;
    if (!URL.canParse(location, href)) throw new EndpointError(`${host} redirects to what is no address`);
    const url = new URL(location, href);
    url.hash = '';
    requireHttp(url, host);
    requireHost(this.terms.rules, url, `A redirect of ${host}`);
    const next = isSentAsGet(request, statusCode) ? asGet(request) : request;
    if (next.isBodyConfidential && url.origin !== request.url.origin) throw forbidden(`${host} redirects to ${url.host}, which is not sent the secret of the body`);
    return readdressed(next, url);
  }

  /** In ms; `undefined` where it was not asked to. */
  private askedToWait({ url }: OutgoingRequest, { statusCode, headers }: RestResponse): number | undefined {
    const asked = WAITING.includes(statusCode) ? retryAfterMs(singleHeader(headers['retry-after'])) : undefined;
    if (asked === undefined) return undefined;
    this.waits += 1;
    if (this.waits > MOST_WAITS) throw new EndpointError(`${url.host} has asked to wait more than ${MOST_WAITS} times`);
    if (performance.now() + asked <= this.terms.endsAt) return Math.max(asked, LEAST_WAIT_MS);
    throw new EndpointError(`${url.host} answered ${statusCode} and asks to wait ${inSeconds(asked)}, which is longer than the step may take`, statusCode);
  }

  private async wait({ url }: OutgoingRequest, { statusCode }: RestResponse, waitMs: number): Promise<void> {
    await this.terms.note(`${url.host} answered ${statusCode}: waits ${inSeconds(waitMs)}`);
    await delay(waitMs, undefined, { signal: this.terms.signal });
  }

  private async refusal({ url }: OutgoingRequest, response: RestResponse): Promise<EndpointError> {
    const bytes = await readBytes(response, url.host, REST.bytes).catch(() => undefined);
    return new EndpointError(`${url.host} answered ${response.statusCode}${excerptOf(bytes, this.terms.hide)}`, response.statusCode);
  }

  private async leave({ body }: RestResponse): Promise<void> {
    await body.dump({ limit: REST.bytes, signal: signalWithin(REST.ms, this.terms.signal) }).catch(() => undefined);
  }
}

const inSeconds = (ms: number) => `${Math.ceil(ms / 1_000)} s`;

/** As browsers do (Fetch, HTTP-redirect fetch, step 12). */
const isSentAsGet = ({ method }: OutgoingRequest, status: number): boolean =>
  (status === 303 && method !== 'GET' && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST');

function asGet({ url, headers, confidential }: OutgoingRequest): OutgoingRequest {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-') && name !== 'idempotency-key'));
  return { method: 'GET', url, headers: kept, confidential, isBodyConfidential: false };
}

/** What an answer names may be of any kind. */
export function requireHttp(url: URL, host: string): void {
  const isPlain = url.username === '' && url.password === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) throw forbidden(`${host} names an address that is not of http or https, or holds a user`);
}

/** The first where there are several. */
export const singleHeader = (value: string | string[] | undefined): string => (Array.isArray(value) ? value[0] : value) ?? '';
