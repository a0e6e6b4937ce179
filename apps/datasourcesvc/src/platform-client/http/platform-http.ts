import { setTimeout as delay } from 'node:timers/promises';
import type { FieldIssue, ServiceName } from '@twinyard/conventions';
import { signalWithin } from '@twinyard/service-kit';
import { fetchFromService } from '@twinyard/service-kit/outbound';
import { PassingFailure, PlatformError } from '../platform-error';
import type { PlatformUsage } from '../platform-usage';
import { chunksOf, received } from './received';
import { RETRY_TIMES, retrying, type RetryTimes } from './retrying';
import type { RunToken } from '../run-token';

/** Of each service inside the deployment. */
export type PlatformAddresses = Readonly<Record<ServiceName, string>>;

export interface PlatformRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query; starts with `/`. */
  readonly path: string;
  /** JSON text. */
  readonly json?: string;
  /** A body that is made while it is sent. */
  readonly stream?: SentStream;
  /** Until its answer is read to the end. */
  readonly timeoutMs?: number;
  /** Anything else, with its type in `headers`. */
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The same request again gets the first answer (contract 0.2). */
  readonly idempotencyKey?: string;
  /** False: a passing failure is thrown as such, for a caller who must look before the next try. */
  readonly retry?: boolean;
  /** For filesvc's content alone, which may lie in its object store: elsewhere an answer that leads on may lead where a tenant wants. */
  readonly redirected?: boolean;
}

export interface SentStream {
  readonly contentType: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const REQUEST_TIMEOUT_MS = 120_000;
/** For bodies that are streams: whoever is silent is noticed by the lines themselves. */
export const STREAM_TIMEOUT_MS = 6 * 3_600_000;
const PASSING = new Set([429, 502, 503, 504]);
const NOT_MODIFIED = 304;

export interface PlatformHttpOptions {
  readonly addresses: PlatformAddresses;
  readonly token: Pick<RunToken, 'get' | 'drop'>;
  readonly signal: AbortSignal;
  readonly retry?: RetryTimes;
  /** Hears of each try. */
  readonly usage?: PlatformUsage;
}

/** Requests of a run to another service: with its token, tried again while the failure may pass, 202 followed to its end. */
export class PlatformHttp {
  constructor(private readonly options: PlatformHttpOptions) {}

  get signal(): AbortSignal {
    return this.options.signal;
  }

  /** The same, ended by another signal too. */
  within(signal: AbortSignal): PlatformHttp {
    return new PlatformHttp({ ...this.options, signal: AbortSignal.any([this.signal, signal]) });
  }

  /** The JSON body of the final answer; `undefined` when it has none. */
  async json(service: ServiceName, request: PlatformRequest): Promise<unknown> {
    const work = async () => {
      const response = await this.send(service, request);
      const text = await this.text(response);
      return { response, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    };
    const { response, body } = request.retry === false ? await work() : await this.retrying(work);
    return response.status === 202 ? (await this.follow(service, response))._body : body;
  }

  retrying<T>(work: (onward: () => void) => Promise<T>): Promise<T> {
    return retrying(work, this.options.signal, this.options.retry ?? RETRY_TIMES);
  }

  /** One try. */
  async send(service: ServiceName, request: PlatformRequest): Promise<Response> {
    const response = await this.fetch(service, request, await this.options.token.get());
    if (response.status !== 401) return this.checked(service, response);
    await response.body?.cancel();
    this.options.token.drop();
    // What was sent is gone: whoever made it makes it again.
    if (request.stream !== undefined) throw new PassingFailure(`${service} did not take the token of the run`);
    const again = await this.fetch(service, request, await this.options.token.get());
    if (again.status !== 401) return this.checked(service, again);
    await again.body?.cancel();
    // A token that was made for this request: what it names is what is refused, and no other try will change that.
    throw new PlatformError(`${service}: whom the run acts for is gone, or disabled`, 403, 'forbidden');
  }

  /** A signed address needs no token. The path is public, the address is the one inside the deployment. */
  async sendSigned(service: ServiceName, url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const { pathname, search } = new URL(url);
    return this.checked(service, await this.fetch(service, { method: 'GET', path: pathname + search, headers, timeoutMs: STREAM_TIMEOUT_MS, redirected: true }));
  }

  /** The body of an answer as it comes. */
  bytes(response: Response): AsyncGenerator<Uint8Array> {
    return chunksOf(response, (bytes) => this.took(bytes));
  }

  /** The body of an answer. */
  async text(response: Response): Promise<string> {
    const text = await received(response.text());
    this.took(Buffer.byteLength(text));
    return text;
  }

  /** Who reads a body by itself says how much has come. */
  took(bytes: number): void {
    this.options.usage?.took(bytes);
  }

  private async checked(service: ServiceName, response: Response): Promise<Response> {
    if (response.ok || response.status === NOT_MODIFIED) return response;
    if (isRedirection(response)) {
      await response.body?.cancel();
      throw new PlatformError(`${service}: the answer leads elsewhere, where no run follows`, response.status, 'redirected');
    }
    const body = parsed(await this.text(response));
    if (isPassing(response)) throw new PassingFailure(`${service}: ${messageOf(body)}`, retryAfterMs(response));
    throw refusal(service, response.status, body);
  }

  private async fetch(service: ServiceName, request: PlatformRequest, token?: string): Promise<Response> {
    const { addresses, signal, usage } = this.options;
    const { method, path, stream, timeoutMs = REQUEST_TIMEOUT_MS } = request;
    const body = request.json ?? request.body;
    signal.throwIfAborted();
    usage?.asked(body === undefined ? 0 : Buffer.byteLength(body));
    const sending = stream && new Sending(stream.bytes, (bytes) => this.took(bytes));
    try {
      return await fetchFromService(addresses[service].replace(/\/+$/, '') + path, {
        method, headers: headersOf(request, token), ...(sending ? { body: sending.bytes(), duplex: 'half' } : body !== undefined && { body }),
        redirect: redirectOf(request), signal: signalWithin(timeoutMs, signal),
      });
    } catch (error) {
      signal.throwIfAborted();
      sending?.throwIfFailed();
      throw new PassingFailure(`${service} cannot be reached`, undefined, { cause: error });
    }
  }

  /** The final answer to what was answered with 202. Contract 0.2: `Location` is an absolute public address of a request that says how the work fares, and `read` gives its JSON. */
  async follow(service: ServiceName, accepted: Response, read = (request: PlatformRequest) => this.json(service, request)): Promise<FinalAnswer> {
    const path = new URL(accepted.headers.get('location') ?? '', 'http://platform').pathname;
    const wait = retryAfterMs(accepted) ?? 1_000;
    for (;;) {
      await delay(wait, undefined, { signal: this.options.signal });
      const { _status, _response } = (await read({ method: 'GET', path })) as RequestRecord;
      if (_status === 'COMPLETED') return _response ?? { _status: 204 };
      if (_status === 'FAILED') throw refusal(service, _response?._status, _response?._body);
    }
  }
}

/** A body on its way: what it fails of is not the line's fault. */
class Sending {
  private failure: { readonly error: unknown } | undefined;

  constructor(private readonly source: AsyncIterable<Uint8Array>, private readonly sent: (bytes: number) => void) {}

  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.source) {
        this.sent(chunk.byteLength);
        yield chunk;
      }
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }

  throwIfFailed(): void {
    if (this.failure !== undefined) throw this.failure.error;
  }
}

export interface FinalAnswer {
  readonly _status: number;
  readonly _body?: unknown;
}

interface RequestRecord {
  readonly _status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED';
  readonly _response?: FinalAnswer;
}

const headersOf = ({ headers, json, stream, idempotencyKey }: PlatformRequest, token: string | undefined): Record<string, string> => ({
  ...headers,
  ...(stream !== undefined && { 'content-type': stream.contentType }),
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  ...(json !== undefined && { 'content-type': 'application/json' }),
  ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
});

const redirectOf = ({ redirected = false }: PlatformRequest) => (redirected ? 'follow' : 'manual');

const isRedirection = ({ status }: Response) => status >= 300 && status < 400;

const refusal = (service: ServiceName, status: number | undefined, body: unknown) => new PlatformError(`${service}: ${messageOf(body)}`, status, codeOf(body), detailsOf(body));

/** A 409 that says when to come again: the first try with this key is not known to have ended, its process may have died. */
const isPassing = ({ status, headers }: Response) => PASSING.has(status) || (status === 409 && headers.has('retry-after'));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function messageOf(body: unknown): string {
  const { message } = fieldsOf(body);
  return typeof message === 'string' ? message : 'refused without a reason';
}

function codeOf(body: unknown): string | undefined {
  const { code } = fieldsOf(body);
  return typeof code === 'string' ? code : undefined;
}

function detailsOf(body: unknown): readonly FieldIssue[] {
  const { details } = fieldsOf(body);
  return Array.isArray(details) ? (details as readonly FieldIssue[]) : [];
}

const fieldsOf = (body: unknown): { readonly message?: unknown; readonly code?: unknown; readonly details?: unknown } => (body !== null && typeof body === 'object' ? body : {});

/** Seconds; a date is not used by this platform. At most 30, lest a wrong header hold a run. */
function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') || Number.NaN);
  return seconds >= 0 ? Math.min(seconds, 30) * 1_000 : undefined;
}
