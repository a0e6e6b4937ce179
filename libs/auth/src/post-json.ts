import { Agent as PlainAgent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';

export interface JsonPost {
  readonly url: URL;
  readonly token: string;
  readonly body: unknown;
  /** How long the whole answer may take. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const LATE_MS = 100;

const plainAgent = new PlainAgent({ keepAlive: true });
const tlsAgent = new TlsAgent({ keepAlive: true });

/**
 * Resolves when the head of the answer is there. `node:http` and not `fetch`: the grant sync is sent day and night, and
 * what `fetch` makes for it was the largest part of what an idle service allocated (docs/performance.md).
 */
export async function postJson(post: JsonPost): Promise<IncomingMessage> {
  const first = send(post);
  try {
    return await first.response;
  } catch (error) {
    // A kept connection that the other side had closed: nothing was answered, and whatever is asked here may be asked twice.
    if (!first.request.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return await send(post).response;
  }
}

export async function readJson<T>(response: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as T;
}

function send({ url, token, body, timeoutMs, signal }: JsonPost): { request: ClientRequest; response: Promise<IncomingMessage> } {
  const text = JSON.stringify(body);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const options = { method: 'POST', headers, ...(signal && { signal }) };
  const request = url.protocol === 'https:' ? tlsRequest(url, { ...options, agent: tlsAgent }) : plainRequest(url, { ...options, agent: plainAgent });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).on('error', reject);
  });
  boundSilence(request, timeoutMs, performance.now() + timeoutMs + LATE_MS);
  request.end(text);
  return { request, response };
}

/** A timer that is later than `lateAt` says that this process stood still: what was answered meanwhile is still to be heard, so there is as much time again, once. */
function boundSilence(request: ClientRequest, timeoutMs: number, lateAt = Infinity): void {
  const timer = setTimeout(() => {
    if (performance.now() > lateAt) boundSilence(request, timeoutMs);
    else request.destroy(new Error(`no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  request.once('close', () => clearTimeout(timer));
}
