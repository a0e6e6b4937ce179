import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { invalid, invalidField, isNestedDeeper, MAX_BODY_LEVELS, refuseBrokenText, type ServiceError } from '@twinyard/conventions';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from './error-filter';
import { sendJsonTexts } from './json-text';

const ONE_MEGABYTE = 1024 * 1024;
/** Largest body of a bulk operation (contract 2.3). Routes ask for it with `@RouteConfig({ bodyLimit: BULK_BODY_LIMIT })`. */
export const BULK_BODY_LIMIT = 10 * ONE_MEGABYTE;

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export function createFastifyAdapter(): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: ONE_MEGABYTE,
    routerOptions: { maxParamLength: 4_000, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    skipMiddie: true, // there is no middleware of Express, which every request would be taken past
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) => sendError(reply, invalid('path: is not a valid path'), request.id),
    // The gateway is the only hop in front; it replaces what a caller claims about addresses.
    trustProxy: 1,
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
  });
  const instance = adapter.getInstance() as unknown as FastifyInstance;
  limitBodiesByRoute(instance);
  hearOversizedBodiesOut(instance);
  parseJson(instance);
  sendJsonTexts(instance);
  refuseBrokenParameters(instance);
  return adapter;
}

function limitBodiesByRoute(instance: FastifyInstance): void {
  instance.addHook('onRoute', (route) => {
    const config = route.config as { bodyLimit?: number } | undefined;
    if (config?.bodyLimit !== undefined) route.bodyLimit = config.bodyLimit;
  });
}

/**
 * Fastify closes the connection on a body that says it is too long. Whoever still sends it then meets a reset and never reads
 * the 413 (through the gateway: a 503). Without that header Node reads what is left and drops it.
 */
function hearOversizedBodiesOut(instance: FastifyInstance): void {
  instance.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.statusCode === 413) void reply.removeHeader('connection');
    done(null, payload);
  });
}

/** Escapes for a NUL or half a surrogate pair, numbers of three digits in the exponent or of hundreds: only then is the parsed value walked. */
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])|[:,[\s]-?\d(?:[\d.]*[eE]\+?\d{3}|\d{308})/;

/** Bodies of bulks are left to the services, which look at every item of them anyway. */
const mayBeTooDeep = (text: string) => text.length > 2 * MAX_BODY_LEVELS && text.length <= ONE_MEGABYTE;

function checkBody(text: string, value: unknown): void {
  const isSuspicious = SUSPICIOUS.test(text);
  if ((isSuspicious || mayBeTooDeep(text)) && isNestedDeeper(value, MAX_BODY_LEVELS)) throw invalidField('body', `is nested deeper than ${MAX_BODY_LEVELS} levels`);
  if (isSuspicious) refuseBrokenText(value);
}

/**
 * JSON under its own type and under SCIM's. An empty body is no error, since clients send the header on every request
 * (contract 0.1). `__proto__` as a key is refused.
 */
function parseJson(instance: FastifyInstance): void {
  const parse = instance.getDefaultJsonParser('error', 'ignore');
  const parser = (request: FastifyRequest, body: string | Buffer, done: (error: Error | null, value?: unknown) => void): void => {
    const text = body.toString();
    if (text.trim() === '') return done(null, undefined);
    void parse(request, text, (error, value) => {
      if (error) return done(invalid(badJsonMessage(error)));
      try {
        checkBody(text, value);
        return done(null, value);
      } catch (cause) {
        return done(cause as Error);
      }
    });
  };
  instance.removeContentTypeParser('application/json');
  for (const type of ['application/json', 'application/scim+json', 'application/cloudevents+json']) {
    instance.addContentTypeParser(type, { parseAs: 'string' }, parser);
  }
}

const badJsonMessage = (error: Error) =>
  error.message.includes('prototype') ? 'body: holds a forbidden key (__proto__)' : 'body: is not valid JSON';

function refuseBrokenParameters(instance: FastifyInstance): void {
  instance.addHook('preValidation', (request, _reply, done) => {
    try {
      refuseBrokenText(request.query, 'query');
      refuseBrokenText(request.params, 'path');
      done();
    } catch (error) {
      done(error as ServiceError);
    }
  });
}
