import type { EventEmitter } from 'node:events';
import { IDLE_CONNECTION_MS } from '@twinyard/service-kit/process';
import { Agent, type Dispatcher } from 'undici';
import { nothingWasHandedOver } from './handed-over';

/** Long work is answered by 202 and polled; what takes longer than this before its first byte is lost. */
const FIRST_BYTE_WITHIN_MS = 600_000;
/** Waits before further attempts at a connection: a replica has gone, and another is asked. None begins later than `AGAIN_WITHIN_MS` after the first. */
const [AGAIN_MS, AGAIN_WITHIN_MS] = [[20, 200], 2_500];

/** Emits `abort` when it has gone away; who comes later reads that it has, as of an `AbortSignal`. */
export type Caller = EventEmitter & { aborted: boolean };

/** Whom a request is for, and where it goes: a path without its query. */
export interface Errand {
  readonly caller: Caller;
  readonly path: string;
}

type Answered = (error: Error | null, answer: Dispatcher.ResponseData) => void;

interface Tries {
  readonly caller: Caller;
  /** Milliseconds before each further one. */
  readonly waits: number[];
  readonly until: number;
  readonly answered: Answered;
}

/**
 * The connections to the services, kept open, in the form that @fastify/reply-from takes. It adds what that library lacks: a caller
 * that goes away ends its request upstream too, even before the first byte of an answer; names that begin with two dots (`..plan.pdf`) pass,
 * which it takes for a way out of the path; and a request for which there was no connection is tried again.
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
      connections, pipelining: 1, keepAliveTimeout: IDLE_CONNECTION_MS, keepAliveMaxTimeout: IDLE_CONNECTION_MS, connect: { timeout: 2_000 }, maxHeaderSize: 64 * 1024,
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
    if (errand === undefined) return this.agent.request(options, answered);
    const own = { ...options, signal: errand.caller, path: errand.path + options.path.slice('/'.length) };
    // The first failure ends a body that streams.
    const isWhole = own.body === undefined || own.body === null || typeof own.body === 'string' || Buffer.isBuffer(own.body);
    this.attempt(own, { caller: errand.caller, waits: isWhole ? [...AGAIN_MS] : [], until: performance.now() + AGAIN_WITHIN_MS, answered });
  }

  private attempt(options: Dispatcher.RequestOptions, tries: Tries): void {
    const { caller, waits, until, answered } = tries;
    this.agent.request(options, (error, answer) => {
      const againMs = error !== null && !caller.aborted && nothingWasHandedOver(error) && performance.now() < until ? waits.shift() : undefined;
      if (againMs === undefined) return answered(error, answer);
      const gone = () => {
        clearTimeout(timer);
        answered(error, answer);
      };
      const timer = setTimeout(() => {
        caller.off('abort', gone);
        this.attempt(options, tries);
      }, againMs);
      return void caller.once('abort', gone);
    });
  }

  async destroy(): Promise<void> {
    await this.agent.destroy();
  }
}
