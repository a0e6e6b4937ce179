import type { EventEmitter } from 'node:events';
import { Agent, type Dispatcher } from 'undici';

/** Long work is answered by 202 and polled; what takes longer than this before its first byte is lost. */
const FIRST_BYTE_WITHIN_MS = 600_000;

/** Whom a request is for, and where it goes: a path without its query. */
export interface Errand {
  /** Emits `abort` when it has gone away. */
  readonly caller: EventEmitter;
  readonly path: string;
}

type Answered = (error: Error | null, answer: Dispatcher.ResponseData) => void;

/**
 * The connections to the services, kept open, in the form that @fastify/reply-from takes. It adds what that library lacks: a caller
 * that goes away ends its request upstream too, even before the first byte of an answer; and names that begin with two dots (`..plan.pdf`) pass,
 * which it takes for a way out of the path.
 */
export class UpstreamClient {
  readonly headersTimeout = FIRST_BYTE_WITHIN_MS;
  readonly bodyTimeout = 0;
  private errand: Errand | undefined;
  private readonly agent: Agent;

  /**
   * `connectionMs`: no new request takes a connection that is older. By age and not by count: the last request of a count says
   * `Connection: close`, and a service that refuses an upload early then resets it, refusal and all.
   */
  constructor(connectionMs: number, connections: number) {
    this.agent = new Agent({
      connections, pipelining: 1, keepAliveTimeout: 30_000, connect: { timeout: 2_000 }, maxHeaderSize: 64 * 1024,
      clientTtl: connectionMs,
    });
  }

  /** What `send` requests before it returns, of `/`, is `errand`'s. An `AsyncLocalStorage` would have every promise of every request looked at. */
  onBehalfOf(errand: Errand, send: () => void): void {
    this.errand = errand;
    try {
      send();
    } finally {
      this.errand = undefined;
    }
  }

  request(options: Dispatcher.RequestOptions, answered: Answered): void {
    const { errand } = this;
    this.agent.request({ ...options, ...(errand && { signal: errand.caller, path: errand.path + options.path.slice('/'.length) }) }, answered);
  }

  async destroy(): Promise<void> {
    await this.agent.destroy();
  }
}
