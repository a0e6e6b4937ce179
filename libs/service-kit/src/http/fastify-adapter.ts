import { FastifyAdapter } from '@nestjs/platform-fastify';
import { invalid, invalidField, isNestedDeeper, LARGE_NUMBER, MAX_BODY_LEVELS, pathOfPrototypeKey, refuseBrokenText, refuseInexactNumbers, type ServiceError, utf8Text } from '@twinyard/conventions';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientErrorHandler, headTerms } from '../lines/guard-lines';
import type { Logger } from '../logging/logger';
import { logWhenOver } from '../logging/request-log';
import type { LineTerms } from '../settings/line-settings';
import { sendError } from './error-filter';
import { sendJsonTexts } from './json-text';
import { requestIdOf } from './request-id';

const ONE_MEGABYTE = 1024 * 1024;
/** Largest body of JSON of one record, or of up to 1,000 (contract 0.1): a record has 16 MB at most, and the rest is its frame. */
export const RECORD_BODY_LIMIT = 17 * ONE_MEGABYTE;
/** Largest body of a bulk operation (contract 2.3). Routes ask for it with `@RouteConfig({ bodyLimit: BULK_BODY_LIMIT })`. */
export const BULK_BODY_LIMIT = 10 * ONE_MEGABYTE;

/** What the server holds its callers to; without it (nothing is served, as for a reference) Node's own. */
export interface AdapterOptions {
  readonly terms: LineTerms;
  readonly logger: Logger;
}

export function createFastifyAdapter(options?: AdapterOptions): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: RECORD_BODY_LIMIT,
    routerOptions: { maxParamLength: 4_000, ignoreTrailingSlash: true },
    ...(options && { http: headTerms(options.terms) }),
    clientErrorHandler: clientErrorHandler(() => options?.logger),
    forceCloseConnections: 'idle',
    skipMiddie: true, // there is no middleware of Express, which every request would be taken past
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      if (options) logWhenOver(options.logger, request, reply);
      sendError(reply.header('X-Request-Id', request.id), invalid('path: is not a valid path'), request.id);
    },
    // The gateway is the only hop in front; it replaces what a caller claims about addresses.
    trustProxy: 1,
    genReqId: requestIdOf,
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

/** Escapes for a NUL or half a surrogate pair, and numbers that a double may not keep: only then is the text, or the parsed value, walked. */
const SUSPICIOUS = new RegExp(`\\\\u(?:0000|[dD][89a-fA-F])|${LARGE_NUMBER.source}`);

/** Large bodies of bulks are left to the services, which look at every item of them anyway. */
const mayBeTooDeep = (text: string, limit: number) => text.length > 2 * MAX_BODY_LEVELS && (text.length <= ONE_MEGABYTE || limit !== BULK_BODY_LIMIT);

const tooDeep = () => invalidField('body', `is nested deeper than ${MAX_BODY_LEVELS} levels`);

function checkBody(text: string, value: unknown, limit: number): void {
  const isSuspicious = SUSPICIOUS.test(text) || typeof value === 'number';
  if ((isSuspicious || mayBeTooDeep(text, limit)) && isNestedDeeper(value, MAX_BODY_LEVELS)) throw tooDeep();
  if (!isSuspicious) return;
  refuseInexactNumbers(text);
  refuseBrokenText(value);
}

/**
 * JSON under its own type and under SCIM's. An empty body is no error, since clients send the header on every request
 * (contract 0.1). `__proto__` as a key is refused.
 */
function parseJson(instance: FastifyInstance): void {
  const parse = instance.getDefaultJsonParser('error', 'ignore');
  const read = (request: FastifyRequest, text: string): unknown => {
    let value: unknown;
    void parse(request, text, (error, parsed: unknown) => {
      if (error) throw badJson(text);
      value = parsed;
    });
    checkBody(text, value, request.routeOptions.bodyLimit);
    return value;
  };
  const parser = (request: FastifyRequest, body: Buffer, done: (error: Error | null, value?: unknown) => void): void => {
    let value: unknown;
    try {
      const text = utf8Text(body);
      value = text.trim() === '' ? undefined : read(request, text);
    } catch (error) {
      return done(error as Error);
    }
    return done(null, value);
  };
  instance.removeContentTypeParser('application/json');
  for (const type of ['application/json', 'application/scim+json', 'application/cloudevents+json']) {
    instance.addContentTypeParser(type, { parseAs: 'buffer' }, parser);
  }
}

/** What is JSON and was refused all the same holds a key that would be taken for the prototype of an object. */
function badJson(text: string): ServiceError {
  const value = valueOf(text);
  if (value === undefined) return invalid('body: is not valid JSON');
  if (isNestedDeeper(value, MAX_BODY_LEVELS)) return tooDeep();
  return invalidField(pathOfPrototypeKey(value) ?? 'body', 'is a key that no object may have');
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

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
