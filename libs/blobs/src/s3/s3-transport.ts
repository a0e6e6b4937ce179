import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';

/**
 * Why a request came to nothing: `busy`, the store has said so; `stale`, it had closed a kept connection at the moment when this
 * request took it; `lost`, it cannot be reached, or went away in the middle.
 */
export type Failure = 'busy' | 'stale' | 'lost';

/** The store puts the parts of an object together when a multipart upload is completed, and may say nothing for minutes. */
const COMPLETION_PATIENCE_MS = 10 * 60_000;
const BUSY = new Set([408, 429, 499, 500, 502, 503, 504, 520]);
const RESET = new Set(['ECONNRESET', 'EPIPE']);

/**
 * How the S3 client talks HTTP. The client itself waits for ever, tells a lost connection from other errors by nothing, and leaves
 * the answers of a busy server unread, so that their connections are never used again.
 */
export class S3Transport {
  readonly agent: http.Agent;
  private readonly failures = new WeakMap<object, Failure>();

  constructor(private readonly isSecure: boolean, private readonly patienceMs: number) {
    this.agent = new (isSecure ? https : http).Agent({ keepAlive: true, maxFreeSockets: 16 });
  }

  /** What the transport knows of an error; nothing when the store has answered, or was never asked. */
  failureOf(error: unknown): Failure | undefined {
    return typeof error === 'object' && error !== null ? this.failures.get(error) : undefined;
  }

  request(options: RequestOptions, onAnswer: (answer: IncomingMessage) => void): ClientRequest {
    const patience = isCompletion(options) ? Math.max(COMPLETION_PATIENCE_MS, this.patienceMs) : this.patienceMs;
    // Given here, the limit also holds while the connection is being made.
    const request = (this.isSecure ? https : http).request({ ...options, timeout: patience });
    request.on('error', (error: NodeJS.ErrnoException) => this.note(error, request.reusedSocket && RESET.has(error.code ?? '') ? 'stale' : 'lost'));
    request.once('response', (answer) => {
      answer.on('error', (error) => this.note(error, 'lost'));
      if (!BUSY.has(answer.statusCode ?? 0)) return onAnswer(answer);
      answer.resume();
      request.emit('error', this.note(new Error(`S3 answers ${answer.statusCode}`), 'busy'));
    });
    return limitSilence(request, patience);
  }

  private note<E extends Error>(error: E, failure: Failure): E {
    if (!this.failures.has(error)) this.failures.set(error, failure);
    return error;
  }
}

/** Ends a request when the store is silent though it is its turn; a reader of the answer may take as long as it likes. */
function limitSilence(request: ClientRequest, patienceMs: number): ClientRequest {
  let answer: IncomingMessage | undefined;
  request.once('response', (response) => { answer = response; });
  return request.on('timeout', () => {
    if (answer !== undefined && answer.readableLength > 0) request.socket?.setTimeout(patienceMs);
    else request.destroy(new Error(`S3 has been silent for ${patienceMs} ms`));
  });
}

const isCompletion = ({ method, path }: RequestOptions) => method === 'POST' && /[?&]uploadId=/.test(path ?? '');
