import { hash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import { ServiceError } from '@twinyard/conventions';
import type { FastifyInstance } from 'fastify';

/** What callers reach through the gateway, as against health, metrics and what the services ask each other. */
const PUBLIC = /^\/[a-z]+svc\//;

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
      return authorization ? hash('sha256', authorization, 'base64') : request.ip;
    },
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    errorResponseBuilder: (_request, { ttl }) =>
      new ServiceError('too_many_requests', 'Too many requests in a minute', { retryAfter: Math.max(1, Math.ceil(ttl / 1000)) }),
  });
}
