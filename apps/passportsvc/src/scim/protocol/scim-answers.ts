import type { FastifyInstance, FastifyReply } from 'fastify';
import { ERROR_SCHEMA_ID, type ScimErrorBody, type ScimType, toScimErrorBody } from './scim-error';

export const SCIM_PATH = '/passportsvc/api/v1/scim';
export const SCIM_MEDIA_TYPE = 'application/scim+json';

/**
 * RFC 7644 section 3.12 for every refusal under SCIM's path, wherever it was made: by the rate limit, the JSON parser, the guard, the
 * router for a path that is none. Success is in SCIM's media type too.
 */
export function answerInScim(instance: FastifyInstance): void {
  instance.addHook('onSend', (request, reply, payload, done) => {
    if (!isScim(request.url) || typeof payload !== 'string' || payload === '') return done(null, payload);
    void reply.type(`${SCIM_MEDIA_TYPE}; charset=utf-8`);
    if (reply.statusCode === 405) void reply.header('Allow', 'GET');
    return done(null, reply.statusCode < 400 ? payload : JSON.stringify(toBody(reply, payload)));
  });
}

const isScim = (url: string) => url.startsWith(SCIM_PATH) && /^(?:[/?]|$)/.test(url.slice(SCIM_PATH.length));

function toBody(reply: FastifyReply, payload: string): ScimErrorBody {
  const body = readJson(payload);
  if (body.schemas?.[0] === ERROR_SCHEMA_ID) return body as unknown as ScimErrorBody;
  return toScimErrorBody(reply.statusCode, body.message ?? '', BY_STATUS[reply.statusCode]);
}

/** What is no JSON says nothing that a caller could use. */
function readJson(payload: string): { readonly message?: string; readonly schemas?: readonly string[] } {
  try {
    return JSON.parse(payload) as { readonly message?: string };
  } catch {
    return {};
  }
}

/** What the keywords say of refusals that do not come from SCIM's own rules: a 400 then is about the body's syntax. */
const BY_STATUS: Readonly<Record<number, ScimType>> = { 400: 'invalidSyntax', 409: 'uniqueness' };
