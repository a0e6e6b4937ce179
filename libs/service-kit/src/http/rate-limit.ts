import { hash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import { ServiceError } from '@twinyard/conventions';
import type { FastifyInstance } from 'fastify';

/** What callers reach through the gateway, as against health, metrics and what the services ask each other. */
const PUBLIC = /^\/[a-z]+svc\//;

/** Of ten thousand callers that are remembered, a kilobyte each. */
const LONGEST_TOKEN = 1_024;
/** No header has it, so nobody is taken for an address by naming it. */
const NOT_A_HEADER = '\0';

/** Contract 0.2: over a rate limit 429 with `Retry-After`. A caller is its token, or its address without one. */
export async function limitRate(instance: FastifyInstance, perMinute: number): Promise<void> {
  // Told by route and not by request: what the plugin would be asked each time is known once.
  instance.addHook('onRoute', (route) => {
    if (!PUBLIC.test(route.url)) route.config = { ...route.config, rateLimit: false };
  });
  await instance.register(rateLimit, {
    max: perMinute,
    timeWindow: 60_000,
    cache: 10_000,
    keyGenerator: (request) => {
      const { authorization } = request.headers;
      if (!authorization) return `${NOT_A_HEADER}${request.ip}`;
      // One that is no longer than tokens are names itself: a digest would cost as much as all the rest of this.
      return authorization.length <= LONGEST_TOKEN ? authorization : `${NOT_A_HEADER}${hash('sha256', authorization, 'base64')}`;
    },
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    errorResponseBuilder: (_request, { ttl }) =>
      new ServiceError('too_many_requests', 'Too many requests in a minute', { retryAfter: Math.max(1, Math.ceil(ttl / 1000)) }),
  });
}
