import { setTimeout as delay } from 'node:timers/promises';
import { signalWithin } from '@twinyard/service-kit';
import { fetchFromService } from '@twinyard/service-kit/outbound';
import { PassingFailure, PlatformError } from './platform-error';
import type { PlatformUsage } from './platform-usage';
import { RETRY_TIMES, retrying, type RetryTimes } from './retrying';
import type { RunToken } from './run-token';

export type PlatformService = 'itemsvc' | 'filesvc';
export type PlatformAddresses = Readonly<Record<PlatformService, string>>;

export interface PlatformRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query; starts with `/`. */
  readonly path: string;
  /** JSON text. */
  readonly json?: string;
  /** The same request again gets the first answer (contract 0.2). */
  readonly idempotencyKey?: string;
  /** False: a passing failure is thrown as such, for a caller who must look before the next try. */
  readonly retry?: boolean;
}

const REQUEST_TIMEOUT_MS = 120_000;
const PASSING = new Set([429, 502, 503, 504]);

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

  /** The JSON body of the final answer; `undefined` when it has none. */
  async json(service: PlatformService, request: PlatformRequest): Promise<unknown> {
    const work = async () => {
      const response = await this.send(service, request);
      const text = await this.text(response);
      return { response, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    };
    const { response, body } = request.retry === false ? await work() : await this.retrying(work);
    return response.status === 202 ? this.follow(service, response) : body;
  }

  retrying<T>(work: () => Promise<T>): Promise<T> {
    return retrying(work, this.options.signal, this.options.retry ?? RETRY_TIMES);
  }

  /** One try. */
  async send(service: PlatformService, request: PlatformRequest): Promise<Response> {
    const response = await this.fetch(service, request, await this.options.token.get());
    if (response.status !== 401) return this.checked(service, response);
    await response.body?.cancel();
    this.options.token.drop();
    return this.checked(service, await this.fetch(service, request, await this.options.token.get()));
  }

  /** A signed address needs no token. The path is public, the address is the one inside the deployment. */
  async sendSigned(service: PlatformService, url: string): Promise<Response> {
    const { pathname, search } = new URL(url);
    return this.checked(service, await this.fetch(service, { method: 'GET', path: pathname + search }));
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

  private async checked(service: PlatformService, response: Response): Promise<Response> {
    if (response.ok) return response;
    const message = `${service}: ${messageOf(parsed(await this.text(response)))}`;
    if (isPassing(response)) throw new PassingFailure(message, retryAfterMs(response));
    throw new PlatformError(message, response.status);
  }

  private async fetch(service: PlatformService, { method, path, json, idempotencyKey }: PlatformRequest, token?: string): Promise<Response> {
    const { addresses, signal, usage } = this.options;
    signal.throwIfAborted();
    usage?.asked(json === undefined ? 0 : Buffer.byteLength(json));
    try {
      return await fetchFromService(addresses[service].replace(/\/+$/, '') + path, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(json !== undefined && { body: json }),
        signal: signalWithin(REQUEST_TIMEOUT_MS, signal),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new PassingFailure(`${service} cannot be reached`, undefined, { cause: error });
    }
  }

  /** Contract 0.2: `Location` is an absolute public address of a request that says how the work fares. */
  private async follow(service: PlatformService, accepted: Response): Promise<unknown> {
    const path = new URL(accepted.headers.get('location') ?? '', 'http://platform').pathname;
    const wait = retryAfterMs(accepted) ?? 1_000;
    for (;;) {
      await delay(wait, undefined, { signal: this.options.signal });
      const { _status, _response } = (await this.json(service, { method: 'GET', path })) as RequestRecord;
      if (_status === 'COMPLETED') return _response?._body;
      if (_status === 'FAILED') throw new PlatformError(`${service}: ${messageOf(_response?._body)}`, _response?._status);
    }
  }
}

interface RequestRecord {
  readonly _status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED';
  readonly _response?: { readonly _status: number; readonly _body?: unknown };
}

/** A body that breaks off is a failure of the network. */
export async function received<T>(body: Promise<T>): Promise<T> {
  try {
    return await body;
  } catch (error) {
    throw new PassingFailure('The answer of a service broke off', undefined, { cause: error });
  }
}

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
  const message = body !== null && typeof body === 'object' ? (body as { message?: unknown }).message : undefined;
  return typeof message === 'string' ? message : 'refused without a reason';
}

/** Seconds; a date is not used by this platform. At most 30, lest a wrong header hold a run. */
function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') || Number.NaN);
  return seconds >= 0 ? Math.min(seconds, 30) * 1_000 : undefined;
}
