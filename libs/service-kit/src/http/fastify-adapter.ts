import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  invalidField, isNestedDeeper, LARGE_NUMBER, MAX_BODY_LEVELS,
  pathOfPrototypeKey, refuseBrokenText, refuseInexactNumbers, type ServiceError, utf8Text,
} from '@twinyard/conventions';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noteBody } from '../lines/body-bytes';
import { clientErrorHandler, headTerms } from '../lines/guard-lines';
import type { Logger } from '../logging/logger';
import { logWhenOver } from '../logging/request-log';
import type { LineTerms } from '../settings/line-settings';
import { sendError } from './errors/error-filter';
import { sendJsonTexts } from './json-text';
import { readLargeJson } from './large-json';
import { requestIdOf } from './request-id';

const ONE_MEGABYTE = 1024 * 1024;
/** Largest body of JSON of one record, or of up to 1,000 (contract 0.1): a record has 16 MB at most, and the rest is its frame. */
export const RECORD_BODY_LIMIT = 17 * ONE_MEGABYTE;
/** Largest body of a bulk operation (contract 2.3). Routes ask for it with `@RouteConfig({ bodyLimit: BULK_BODY_LIMIT })`. */
export const BULK_BODY_LIMIT = 10 * ONE_MEGABYTE;

/** Members that one object of a bulk of items has at most. Above a thousand or so they are kept in a table, which costs a hundred times as much. */
const MAX_MEMBERS = 20_000;
/** What routes that take items in bulk ask for with `@RouteConfig(ITEMS_IN_BULK)`. A single record may have as many members as it has room for. */
export const ITEMS_IN_BULK = { bodyLimit: BULK_BODY_LIMIT, mostMembers: MAX_MEMBERS } as const;

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
    return503OnClosing: false, // what still comes by a kept connection while the others close is answered like any other request
    skipMiddie: true, // there is no middleware of Express, which every request would be taken past
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      if (options) logWhenOver(options.logger, request, reply);
      sendError(reply.header('X-Request-Id', request.id), invalidField('path', 'is not a valid path'), request.id);
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

/** What a member of an object is made of at least: `"":1,`. */
const MEMBER_CHARACTERS = 5;
/** Characters from which JSON is read in turns; what is shorter can hold no object that is too wide. */
const LARGE_FROM = MEMBER_CHARACTERS * MAX_MEMBERS;

const mayBeTooDeep = (text: string) => text.length > 2 * MAX_BODY_LEVELS;

const tooDeep = () => invalidField('body', `is nested deeper than ${MAX_BODY_LEVELS} levels`);

function checkBody(text: string, value: unknown): void {
  const isSuspicious = SUSPICIOUS.test(text) || typeof value === 'number';
  if ((isSuspicious || mayBeTooDeep(text)) && isNestedDeeper(value, MAX_BODY_LEVELS)) throw tooDeep();
  if (!isSuspicious) return;
  refuseInexactNumbers(text);
  refuseBrokenText(value);
}

/** `before`: of a list that is read in parts, the entries in front of this one. */
type Read = (text: string, before?: number) => unknown;

function readBody(text: string, read: Read): unknown {
  const value = read(text);
  checkBody(text, value);
  return value;
}

/** How deep it is has been seen when it is read. */
const readLarge = (text: string, read: Read, mostMembers: number | undefined): Promise<unknown> => readLargeJson(text, (part, before) => {
  const value = read(part, before);
  if (!SUSPICIOUS.test(part)) return value;
  refuseInexactNumbers(part, { before });
  if (Array.isArray(value)) value.forEach((entry, index) => refuseBrokenText(entry, `body[${before + index}]`));
  else refuseBrokenText(value);
  return value;
}, mostMembers);

const mostMembersOf = ({ routeOptions }: FastifyRequest) => (routeOptions.config as { readonly mostMembers?: number } | undefined)?.mostMembers;

/**
 * JSON under its own type and under SCIM's. An empty body is no error, since clients send the header on every request
 * (contract 0.1). `__proto__` as a key is refused.
 */
function parseJson(instance: FastifyInstance): void {
  const parse = instance.getDefaultJsonParser('error', 'ignore');
  const parser = async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
    noteBody(request.raw, body.length);
    const text = utf8Text(body);
    if (text.trim() === '') return undefined;
    const read: Read = (part, before = 0) => {
      let result: unknown;
      void parse(request, part, (error, value) => {
        if (error) throw badJson(part, before);
        result = value;
      });
      return result;
    };
    return text.length > LARGE_FROM ? readLarge(text, read, mostMembersOf(request)) : readBody(text, read);
  };
  instance.removeContentTypeParser('application/json');
  for (const type of ['application/json', 'application/scim+json', 'application/cloudevents+json']) {
    instance.addContentTypeParser(type, { parseAs: 'buffer' }, parser);
  }
}

/** What is JSON and was refused all the same holds a key that would be taken for the prototype of an object. */
function badJson(text: string, before: number): ServiceError {
  const value = valueOf(text);
  if (value === undefined) return invalidField('body', 'is not valid JSON');
  if (isNestedDeeper(value, MAX_BODY_LEVELS)) return tooDeep();
  return invalidField(pathOfPrototypeKey(inPlace(value, before)) ?? 'body', 'is a key that no object may have');
}

/** Of a list that is read in parts, one with as many entries in front of it as it has in the whole. */
const inPlace = (value: unknown, before: number): unknown => (Array.isArray(value) ? [...Array.from({ length: before }, () => null), ...(value as unknown[])] : value);

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
