import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How the pages of lists begin; what else is a JSON object is a record. */
const PAGE = /^\{"(?:_offset|_pageSize|_total|_list)"/;
/** In bytes, of what `PAGE` looks for. */
const LONGEST_BEGINNING = 16;
const TAG_LENGTH = 27;

/** A GET of one record has an `ETag`, which names what it says (contract 0.2); a caller who knows it already is told so (RFC 9110 section 13.1.2). */
export function tagEntities(instance: FastifyInstance): void {
  instance.addHook('onSend', (request, reply, payload, done) => {
    if (!isRecord(request, reply, payload)) return done(null, payload);
    if (!reply.hasHeader('etag')) void reply.header('ETag', tagOf(payload));
    if (!namesTag(request.headers['if-none-match'], reply.getHeader('etag'))) return done(null, payload);
    void reply.code(304).removeHeader('content-length').removeHeader('content-type');
    return done(null, null);
  });
}

export const tagOf = (text: string | Buffer): string => `"${hash('sha256', text, 'base64url').slice(0, TAG_LENGTH)}"`;

/** Whether a header of conditions (a list, or `*`) names the tag. Ours are strong; those that say `W/` are compared by what follows. */
export function namesTag(header: string | undefined, tag: unknown): boolean {
  if (header === undefined || typeof tag !== 'string') return false;
  return header.trim() === '*' || header.split(',').some((one) => opaque(one) === opaque(tag));
}

const opaque = (tag: string) => tag.trim().replace(/^W\//, '');

function isRecord({ method }: FastifyRequest, reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (method !== 'GET' || reply.statusCode !== 200 || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return false;
  const beginning = typeof payload === 'string' ? payload : payload.toString('latin1', 0, LONGEST_BEGINNING);
  return beginning.startsWith('{') && /json/.test(String(reply.getHeader('content-type'))) && !PAGE.test(beginning);
}
