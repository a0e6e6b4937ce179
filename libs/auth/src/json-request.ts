import { Agent as PlainAgent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { CONNECTION_MS } from '@twinyard/service-kit';

export interface JsonRequest {
  /** POST where nothing is said. */
  readonly method?: string;
  readonly url: URL;
  /** As `Authorization` has it. */
  readonly authorization: string;
  /** By which the log of the other service finds it. */
  readonly requestId?: string;
  /** Nothing is sent where it is undefined. */
  readonly body: unknown;
  /** How long the whole answer may take. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const LATE_MS = 100;

const plainAgent = withAge(new PlainAgent({ keepAlive: true }), CONNECTION_MS);
const tlsAgent = withAge(new TlsAgent({ keepAlive: true }), CONNECTION_MS);

/**
 * Resolves when the head of the answer is there. `node:http` and not `fetch`: the grant sync is sent day and night, and
 * what `fetch` makes for it was the largest part of what an idle service allocated (docs/performance.md).
 */
export async function requestJson(asked: JsonRequest): Promise<IncomingMessage> {
  const first = send(asked);
  try {
    return await first.response;
  } catch (error) {
    // A kept connection that the other side had closed: nothing was answered, and what is asked here may be asked twice, but for the end of something, which is then gone.
    if (!first.request.reusedSocket || asked.method === 'DELETE' || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return await send(asked).response;
  }
}

function send({ method = 'POST', url, authorization, requestId, body, timeoutMs, signal }: JsonRequest): { request: ClientRequest; response: Promise<IncomingMessage> } {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    authorization, ...(requestId !== undefined && { 'x-request-id': requestId }),
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  const options = { method, headers, ...(signal && { signal }) };
  const request = url.protocol === 'https:' ? tlsRequest(url, { ...options, agent: tlsAgent }) : plainRequest(url, { ...options, agent: plainAgent });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).on('error', reject);
  });
  boundSilence(request, timeoutMs, performance.now() + timeoutMs + LATE_MS);
  request.end(text);
  return { request, response };
}

/** Keeps no connection that was first used longer ago. */
export function withAge<A extends PlainAgent>(agent: A, keptMs: number): A {
  const firstKept = new WeakMap<object, number>();
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  agent.keepSocketAlive = (socket) => {
    const since = firstKept.get(socket) ?? performance.now();
    firstKept.set(socket, since);
    return performance.now() - since < keptMs && keep(socket);
  };
  return agent;
}

/** A timer that is later than `lateAt` says that this process stood still: what was answered meanwhile is still to be heard, so there is as much time again, once. */
function boundSilence(request: ClientRequest, timeoutMs: number, lateAt = Infinity): void {
  const timer = setTimeout(() => {
    if (performance.now() > lateAt) boundSilence(request, timeoutMs);
    else request.destroy(new Error(`no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  request.once('close', () => clearTimeout(timer));
}
