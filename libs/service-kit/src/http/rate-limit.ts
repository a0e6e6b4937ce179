import rateLimit from '@fastify/rate-limit';
import { ServiceError } from '@twinyard/conventions';
import type { FastifyInstance } from 'fastify';
import { hasLine } from '../lines/line-watch';
import { networkOf } from '../lines/network-of';

/** What callers reach through the gateway, as against health, metrics and what the services ask each other. */
const PUBLIC = /^\/[a-z]+svc\//;

/** Whose a credential is, where that was proved a while ago: to prove it here would cost more than what is counted. */
export abstract class KnownCallers {
  /** `authorization`: the header as it came. */
  abstract of(authorization: string): string | undefined;
}

/** Before an address, so that it is nobody's name. */
const ADDRESS = 'address:';

/** Contract 0.2: over a rate limit 429 with `Retry-After`. A caller is who its token was verified to be; whatever else it shows, and without any, its address: what anybody can make up counts nobody anew. */
export async function limitRate(instance: FastifyInstance, perMinute: number, known?: KnownCallers): Promise<void> {
  // Told by route and not by request: what the plugin would be asked each time is known once.
  instance.addHook('onRoute', (route) => {
    if (!PUBLIC.test(route.url)) route.config = { ...route.config, rateLimit: false };
  });
  await instance.register(rateLimit, {
    max: perMinute,
    timeWindow: 60_000,
    cache: 10_000,
    // What a request asks its own service was counted with it.
    allowList: ({ raw }) => !hasLine(raw),
    keyGenerator: (request) => {
      const { authorization } = request.headers;
      const caller = authorization === undefined ? undefined : known?.of(authorization);
      return caller ?? ADDRESS + networkOf(request.ip);
    },
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    errorResponseBuilder: (_request, { ttl }) =>
      new ServiceError('too_many_requests', 'Too many requests in a minute', { retryAfter: Math.max(1, Math.ceil(ttl / 1000)) }),
  });
}
