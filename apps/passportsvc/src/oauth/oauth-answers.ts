import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Userinfo is a resource that tokens open (RFC 6750): it refuses as all others do. */
const OAUTH_PATH = /^\/passportsvc\/api\/v[12]\/oauth(?!\/userinfo(?:[/?]|$))(?:[/?]|$)/;

/**
 * RFC 6749 section 5.2 for every refusal at an OAuth endpoint, wherever it was made: by the rate limit, a parser, the router for a method
 * that is none. Relying parties read nothing else. The status stays, and so do `Allow` and `Retry-After`.
 */
export function answerInOAuth(instance: FastifyInstance): void {
  instance.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode < 400 || typeof payload !== 'string' || !isForOAuth(request, reply)) return done(null, payload);
    const body = JSON.parse(payload) as { readonly error?: string; readonly message?: string };
    if (body.error !== undefined) return done(null, payload);
    void reply.header('Cache-Control', 'no-store').removeHeader('content-length');
    return done(null, JSON.stringify({ error: errorOf(reply.statusCode), error_description: describable(body.message ?? '') }));
  });
}

const isForOAuth = ({ url }: FastifyRequest, reply: FastifyReply) => OAUTH_PATH.test(url) && String(reply.getHeader('content-type')).startsWith('application/json');

/** Of the registered errors (RFC 6749 section 11.4): what a library can act on. */
function errorOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** `%x20-21 / %x23-5B / %x5D-7E` is all that a description may hold. */
const describable = (text: string) => text.replaceAll('"', "'").replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, '?');
