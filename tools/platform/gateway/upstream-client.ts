import { Agent, type Dispatcher } from 'undici';

/** Long work is answered by 202 and polled; what takes longer than this before its first byte is lost. */
const FIRST_BYTE_WITHIN_MS = 600_000;

type Answered = (error: Error | null, answer: Dispatcher.ResponseData) => void;

/**
 * The connections to the services, kept open, in the form that @fastify/reply-from takes. It adds the one thing that library lacks: a caller
 * that goes away ends its request upstream too, even before the first byte of an answer.
 */
export class UpstreamClient {
  readonly headersTimeout = FIRST_BYTE_WITHIN_MS;
  readonly bodyTimeout = 0;
  private caller: AbortSignal | undefined;
  private readonly agent: Agent;

  /**
   * `connectionMs`: no new request takes a connection that is older. By age and not by count: the last request of a count says
   * `Connection: close`, and a service that refuses an upload early then resets it, refusal and all.
   */
  constructor(connectionMs: number) {
    this.agent = new Agent({
      connections: 256, pipelining: 1, keepAliveTimeout: 30_000, connect: { timeout: 2_000 }, maxHeaderSize: 64 * 1024,
      clientTtl: connectionMs,
    });
  }

  /** What `send` requests before it returns is bound to `caller`. An `AsyncLocalStorage` would have every promise of every request looked at. */
  onBehalfOf(caller: AbortSignal, send: () => void): void {
    this.caller = caller;
    try {
      send();
    } finally {
      this.caller = undefined;
    }
  }

  request(options: Dispatcher.RequestOptions, answered: Answered): void {
    const { caller } = this;
    this.agent.request({ ...options, ...(caller && { signal: caller }) }, answered);
  }

  async destroy(): Promise<void> {
    await this.agent.destroy();
  }
}
