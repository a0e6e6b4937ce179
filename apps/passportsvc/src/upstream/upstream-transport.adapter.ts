import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { outboundAgent } from '@twinyard/service-kit/outbound';
import type { CustomFetch } from 'openid-client';
import { type Agent, fetch as undiciFetch } from 'undici';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';

/** A discovery document, a key set or a token answer is a few kilobytes. */
const MAX_ANSWER_BYTES = 512 * 1024;

/** The calls to upstream issuers, whose addresses organizations name: no redirects, little time, little size, and no private address unless a setting allows. */
@Injectable()
export class UpstreamTransport implements OnApplicationShutdown {
  readonly allowPrivate: boolean;
  readonly timeoutSeconds: number;
  private readonly agent: Agent;

  constructor(@Inject(PASSPORT_SETTINGS) { UPSTREAM_ALLOW_PRIVATE, UPSTREAM_TIMEOUT_MS }: PassportSettings) {
    this.allowPrivate = UPSTREAM_ALLOW_PRIVATE;
    this.timeoutSeconds = UPSTREAM_TIMEOUT_MS / 1_000;
    this.agent = outboundAgent({ allowPrivate: UPSTREAM_ALLOW_PRIVATE, timeoutMs: UPSTREAM_TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES });
  }

  /** Bodies are read to their end here, so that the time for the whole answer is bounded too. */
  readonly fetch: CustomFetch = async (url, { method, headers, body, signal }) => {
    const response = await undiciFetch(url, {
      method, headers, redirect: 'manual', dispatcher: this.agent,
      ...(body != null && { body: body as string | URLSearchParams }), ...(signal !== undefined && { signal }),
    });
    const text = await response.text();
    return new Response(isBodyless(response.status) ? null : text, { status: response.status, headers: [...response.headers] });
  };

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}

const isBodyless = (status: number) => status === 204 || status === 205 || status === 304;
