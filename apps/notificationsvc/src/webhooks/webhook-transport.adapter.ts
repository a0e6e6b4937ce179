import { createHmac } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { signalWithin } from '@twinyard/service-kit';
import { outboundAgent } from '@twinyard/service-kit/outbound';
import { type Agent, request } from 'undici';
import { type NotificationsvcSettings, SETTINGS } from '../config';
import { signingKeyOf } from '../resources/device-secrets';

/** Of an answer its status counts. A little of the rest is read, so that the connection can be used again. */
const MAX_ANSWER_BYTES = 1_024;
const REST_MS = 1_000;
/** Beyond the deadline, which is what ends a webhook and says so: of a connection that is left when nobody waits for it. */
const LEFT_MS = 5_000;

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
  private readonly deadlineMs: number;

  constructor(@Inject(SETTINGS) settings: NotificationsvcSettings) {
    this.deadlineMs = settings.WEBHOOK_DEADLINE_MS;
    this.agent = outboundAgent({ allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE, timeoutMs: this.deadlineMs + LEFT_MS });
  }

  /** @throws Error unless a 2xx has come before the deadline, which counts from the look-up of the name to the last line of the head. */
  async send(webhook: Webhook, ending: AbortSignal): Promise<void> {
    const signal = signalWithin(this.deadlineMs, ending);
    const response = await this.post(webhook, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      throw new Error(ending.aborted ? 'the service was stopped' : `the webhook took longer than ${this.deadlineMs / 1_000} s`);
    });
    const rest = signalWithin(REST_MS, signal);
    await response.body.dump({ limit: MAX_ANSWER_BYTES, signal: rest }).catch(() => undefined);
    if (response.statusCode < 200 || response.statusCode > 299) throw new Error(`the webhook answered ${response.statusCode}`);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.close();
  }

  private post({ id, url, secret, userAgent, body }: Webhook, signal: AbortSignal) {
    const text = JSON.stringify(body);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', signingKeyOf(secret)).update(`${id}.${timestamp}.${text}`).digest('base64');
    return request(url, {
      method: 'POST',
      dispatcher: this.agent,
      signal,
      headers: {
        'content-type': 'application/cloudevents+json',
        'user-agent': userAgent,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      },
      body: text,
    });
  }
}
