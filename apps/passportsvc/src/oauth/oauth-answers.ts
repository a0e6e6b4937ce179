import { isOAuthEndpoint, toOAuthError } from '@twinyard/conventions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * RFC 6749 section 5.2 for every refusal at an OAuth endpoint, wherever it was made: by the rate limit, a parser, the router for a method
 * that is none. The status stays, and so do `Allow` and `Retry-After`.
 */
export function answerInOAuth(instance: FastifyInstance): void {
  instance.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode < 400 || typeof payload !== 'string' || !isForOAuth(request, reply)) return done(null, payload);
    const body = JSON.parse(payload) as { readonly error?: string; readonly message?: string };
    if (body.error !== undefined) return done(null, payload);
    void reply.header('Cache-Control', 'no-store').removeHeader('content-length');
    return done(null, JSON.stringify(toOAuthError(reply.statusCode, body.message ?? '')));
  });
}

const isForOAuth = ({ url }: FastifyRequest, reply: FastifyReply) => isOAuthEndpoint(url) && String(reply.getHeader('content-type')).startsWith('application/json');
