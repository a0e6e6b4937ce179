import { createHmac } from 'node:crypto';
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, request } from 'undici';
import { type NotificationsvcSettings, SETTINGS } from '../config';
import { signingKeyOf } from '../resources/device-secrets';
import { isPrivateAddress } from './private-addresses';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

export interface Webhook {
  /** Stays the same when the webhook is tried again: its receiver can tell. */
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly userAgent: string;
  readonly body: unknown;
}

type Looked = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** Webhooks as a POST, signed as Standard Webhooks are. Redirects are not followed; private addresses only where a setting allows. */
@Injectable()
export class WebhookTransport implements OnApplicationShutdown {
  private readonly agent: Agent;

  constructor(@Inject(SETTINGS) private readonly settings: NotificationsvcSettings) {
    // The address is judged where it is connected to: a name that is looked up twice may have two answers.
    this.agent = new Agent({ connect: { timeout: TIMEOUT_MS, lookup: this.lookup.bind(this) as never }, keepAliveTimeout: 1_000 });
  }

  /** @throws Error unless the answer is 2xx. */
  async send({ id, url, secret, userAgent, body }: Webhook): Promise<void> {
    this.refusePrivateLiteral(url);
    const text = JSON.stringify(body);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const response = await request(url, {
      method: 'POST',
      dispatcher: this.agent,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      headers: {
        'content-type': 'application/cloudevents+json',
        'user-agent': userAgent,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${createHmac('sha256', signingKeyOf(secret)).update(`${id}.${timestamp}.${text}`).digest('base64')}`,
      },
      body: text,
    });
    await response.body.dump({ limit: MAX_ANSWER_BYTES });
    if (response.statusCode < 200 || response.statusCode > 299) throw new Error(`the webhook answered ${response.statusCode}`);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.close();
  }

  private refusePrivateLiteral(url: string): void {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0) this.refusePrivate(host);
  }

  private refusePrivate(address: string): void {
    if (!this.settings.WEBHOOK_ALLOW_PRIVATE && isPrivateAddress(address)) throw new Error('the webhook is at a private address');
  }

  private lookup(host: string, options: LookupOptions, done: Looked): void {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      try {
        addresses.forEach(({ address }) => this.refusePrivate(address));
      } catch (refusal) {
        return done(refusal as NodeJS.ErrnoException, []);
      }
      const [first] = addresses;
      return options.all === true ? done(null, addresses) : done(null, first?.address ?? '', first?.family);
    });
  }
}
