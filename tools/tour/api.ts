import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

export interface Page<T> {
  readonly _total: number;
  readonly _list: readonly T[];
}

export type Fields = Record<string, unknown>;
export type Parameters = Readonly<Record<string, string | number | readonly string[] | object | undefined>>;

export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** Longer than a store takes that died and is started again. */
const PATIENCE_MS = 90_000;
const LONGEST_WAIT_SECONDS = 5;
/** Whatever may be sent twice without doing more than once (RFC 9110 section 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** By which a POST is known when it comes again; a service that has done it gives its first answer (contract 0.2). */
export const repeatable = (method: string): Record<string, string> => (method === 'POST' ? { 'idempotency-key': randomUUID() } : {});

/**
 * A service that restarts or misses its store answers 503 for a while, and 409 while it does not know how the first try under a key ended. What
 * was refused with `Retry-After` may be asked again then; without it nobody knows, and only what may be done twice is asked again.
 */
export async function patientFetch(url: URL, init: RequestInit): Promise<Response> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const response = await fetch(url, init);
    const after = response.headers.get('retry-after');
    if (!mayRepeat(response.status, after, init.method ?? 'GET') || Date.now() > deadline) return response;
    await response.arrayBuffer();
    await delay(Math.min(LONGEST_WAIT_SECONDS, Number(after) || 1) * 1_000);
  }
}

const mayRepeat = (status: number, after: string | null, method: string): boolean =>
  (status === 503 && (after !== null || IDEMPOTENT.has(method))) || (status === 409 && after !== null);

/** One caller's view of the platform: JSON over HTTP with its token and, where it is set, its project's namespace. */
export class Api {
  constructor(
    readonly baseUrl: string,
    readonly token: string | undefined,
    readonly namespace?: string,
  ) {}

  as(token: string): Api {
    return new Api(this.baseUrl, token, this.namespace);
  }

  inProject(namespace: string): Api {
    return new Api(this.baseUrl, this.token, namespace);
  }

  get<T = Fields>(path: string, parameters: Parameters = {}): Promise<T> {
    return this.request<T>('GET', path, parameters);
  }

  post<T = Fields>(path: string, body: unknown, parameters: Parameters = {}): Promise<T> {
    return this.request<T>('POST', path, parameters, body);
  }

  put<T = Fields>(path: string, body: unknown, parameters: Parameters = {}): Promise<T> {
    return this.request<T>('PUT', path, parameters, body);
  }

  /** The status with which a request is answered, for refusals that are expected. */
  async statusOf(method: string, path: string, body?: unknown, parameters: Parameters = {}): Promise<number> {
    return (await this.send(method, path, parameters, body)).status;
  }

  async request<T>(method: string, path: string, parameters: Parameters = {}, body?: unknown): Promise<T> {
    const response = await this.send(method, path, parameters, body);
    const text = await response.text();
    if (!response.ok) throw new ApiError(response.status, `${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    if (response.status === 202) return this.poll<T>(response.headers.get('location') ?? '');
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  private send(method: string, path: string, parameters: Parameters, body?: unknown): Promise<Response> {
    return patientFetch(this.urlOf(path, parameters), {
      method,
      headers: {
        ...repeatable(method),
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
  }

  private async poll<T>(location: string): Promise<T> {
    for (;;) {
      const state = await this.get<{ _status: string; _response?: { _status: number; _body: T & { message?: string } } }>(location);
      if (state._status === 'COMPLETED') return state._response?._body as T;
      if (state._status === 'FAILED') throw new ApiError(state._response?._status ?? 500, state._response?._body.message ?? 'the request failed');
      await delay(100);
    }
  }

  private urlOf(path: string, parameters: Parameters): URL {
    const url = new URL(path, this.baseUrl);
    if (this.namespace !== undefined && !url.searchParams.has('nsfilter')) url.searchParams.set('nsfilter', this.namespace);
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined) continue;
      if (Array.isArray(value)) value.forEach((entry) => url.searchParams.append(name, String(entry)));
      else url.searchParams.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
    }
    return url;
  }
}

/** Asks until the answer is there; events take a moment to arrive, and longer when what carries them has just come back. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, timeoutMs = 90_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${timeoutMs / 1000} s`);
    await delay(100);
  }
}
