import { forbidden } from '@twinyard/conventions';
import { outboundAgent, PrivateAddressRefused } from '@twinyard/service-kit/outbound';
import { type Agent, type Dispatcher, request } from 'undici';
import type { OutgoingRequest } from '../outgoing-request';
import { LONGEST_MS } from '../rest-params';
import { requireHost, type RestRules } from '../rest-rules';
import { EndpointError } from './endpoint-error';

export type RestResponse = Dispatcher.ResponseData;

/** Beyond the time of the step, which is what ends a request: of a connection that is left when nobody waits for it. */
const LEFT_MS = 5_000;

/** The connections of one step. They end with it. */
export class RestLine {
  private readonly agent: Agent;

  constructor(private readonly rules: RestRules, private readonly signal: AbortSignal) {
    this.agent = outboundAgent({ allowPrivate: rules.allowPrivate, timeoutMs: LONGEST_MS + LEFT_MS });
  }

  /** Resolves with the head of the answer. The host is judged by its name here, and by its address where it is connected to. */
  async send({ method, url, headers, body }: OutgoingRequest): Promise<RestResponse> {
    this.signal.throwIfAborted();
    requireHost(this.rules, url);
    try {
      const response = await request(url, { method, headers, dispatcher: this.agent, signal: this.signal, ...(body !== undefined && { body }) });
      // Who reads the body hears of it as well.
      response.body.on('error', () => undefined);
      return response;
    } catch (error) {
      this.signal.throwIfAborted();
      if (error instanceof PrivateAddressRefused) throw forbidden(`The host ${url.host} cannot be called: ${error.message}`);
      throw new EndpointError(`${url.host} cannot be reached${codeOf(error)}`);
    }
  }

  async end(): Promise<void> {
    await this.agent.destroy();
  }
}

/** `ECONNREFUSED`, `UND_ERR_HEADERS_OVERFLOW`, `CERT_HAS_EXPIRED`: never the message, which may quote what was sent. */
function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
}
