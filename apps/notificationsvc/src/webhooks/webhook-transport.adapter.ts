import { createHmac } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { outboundAgent } from '@twinyard/service-kit/outbound';
import { type Agent, request } from 'undici';
import { type NotificationsvcSettings, SETTINGS } from '../config';
import { signingKeyOf } from '../resources/device-secrets';

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

/** Webhooks as a POST, signed as Standard Webhooks are. Redirects are not followed; private addresses only where a setting allows. */
@Injectable()
export class WebhookTransport implements OnApplicationShutdown {
  private readonly agent: Agent;

  constructor(@Inject(SETTINGS) settings: NotificationsvcSettings) {
    this.agent = outboundAgent({ allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE, timeoutMs: TIMEOUT_MS });
  }

  /** @throws Error unless the answer is 2xx. */
  async send({ id, url, secret, userAgent, body }: Webhook): Promise<void> {
    const text = JSON.stringify(body);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const response = await request(url, {
      method: 'POST',
      dispatcher: this.agent,
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
}
