import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import replyFrom from '@fastify/reply-from';
import { ERROR_STATUS, type ErrorBody, type ErrorCode, type ServiceName } from '@twinyard/conventions';
import { createLogger } from '@twinyard/service-kit/process';
import fastify, { LogController, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { clientAddress } from './client-address';
import type { GatewaySettings } from './config';
import { detachedBody } from './detached-body';
import { mayBeDoneTwice, nothingWasHandedOver } from './handed-over';
import { requestHeaders, responseHeaders } from './headers';
import { landingBody, landingPage } from './landing';
import { isAmbiguous, ownerOf, pathOf } from './routing';
import { servicesNotReady } from './service-readiness';
import { UpstreamClient } from './upstream-client';

/** Filters travel in the query, up to 10,000 values of them (contract 2.3). */
const MAX_HEADER_BYTES = 1024 * 1024;
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The one origin: routes by first path segment and streams both ways. */
export async function createGateway(settings: GatewaySettings): Promise<FastifyInstance> {
  const client = new UpstreamClient(settings.connectionMs);
  const gateway = fastify({
    loggerInstance: createLogger('gateway', settings.logLevel),
    logController: new LogController({ disableRequestLogging: true }),
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    forceCloseConnections: 'idle',
    bodyLimit: Number.MAX_SAFE_INTEGER,
    genReqId: requestIdOf,
    exposeHeadRoutes: false,
    frameworkErrors: (_error, _request, reply) => refuse(reply, 'invalid', 'path: is not a valid path'),
  }) as unknown as FastifyInstance;
  passBodiesThrough(gateway);
  gateway.setErrorHandler(answerError);
  gateway.setNotFoundHandler((request, reply) => refuse(reply, 'not_found', `Nothing answers to ${request.method} here`)); // methods of others, such as PROPFIND
  await gateway.register(replyFrom, { undici: client as never, disableCache: true, disableRequestLogging: true });
  gateway.addHook('onClose', () => client.destroy());
  serveOwnRoutes(gateway, settings);
  const forward = forwarderTo(settings, client);
  gateway.all('/*', forward);
  return gateway;
}

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Bodies are the services' business: here they are streams without a type or a limit. */
function passBodiesThrough(gateway: FastifyInstance): void {
  gateway.removeAllContentTypeParsers();
  gateway.addContentTypeParser('*', (request, payload, done) => done(null, hasBody(request.raw) ? detachedBody(payload) : undefined));
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function serveOwnRoutes(gateway: FastifyInstance, { upstreams }: GatewaySettings): void {
  gateway.get('/health/live', (_request, reply) => reply.send({ status: 'ok' }));
  gateway.get('/health/ready', async (_request, reply) => {
    const notReady = await servicesNotReady(upstreams);
    return notReady.length === 0 ? reply.send({ status: 'ready' }) : reply.status(503).send({ status: 'not ready', notReady });
  });
  gateway.get('/', (request, reply) => {
    const wantsPage = request.headers.accept?.includes('text/html') ?? false;
    return wantsPage ? reply.type('text/html; charset=utf-8').send(landingPage) : reply.send(landingBody);
  });
}

function forwarderTo({ upstreams, baseUrl, trustedProxies }: GatewaySettings, client: UpstreamClient) {
  const publicOrigin = new URL(baseUrl);
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = pathOf(request.raw.url ?? '/');
    if (isAmbiguous(path)) return refuse(reply, 'invalid', 'path: is not a valid path');
    const owner = ownerOf(path);
    if (!owner) return refuse(reply, 'not_found', `Nothing is served at ${JSON.stringify(path.slice(0, 200))}`);
    const { pathname } = new URL(path, upstreams[owner]);
    client.onBehalfOf({ caller: goneSignal(reply), path: pathname }, () => {
      reply.from('/', {
        getUpstream: () => upstreams[owner],
        rewriteRequestHeaders: (_request, headers) => requestHeaders(headers, {
          address: clientAddress(request.raw.socket.remoteAddress, forwardedForOf(request), trustedProxies),
          requestId: request.id,
          baseUrl: publicOrigin,
          hasBody: request.body !== undefined && request.body !== null,
        }),
        rewriteHeaders: (headers) => responseHeaders(headers),
        onResponse: (_request, answer, response) => {
          // An early answer to a body still on its way would close the connection: its sender would meet a reset in place of the
          // 401 or 413. The rest of the body is dropped within bounds (detached-body.ts).
          void answer.removeHeader('connection');
          void answer.send((response as unknown as { stream: Readable }).stream);
        },
        retryDelay: () => null, // whether to try again is for the caller to say
        onError: (failed, { error }) => {
          request.log.warn({ err: error.cause ?? error, service: owner, path }, 'no answer from the service');
          refuseUnanswered(failed as FastifyReply, owner, error.cause ?? error);
        },
      });
    });
    return reply;
  };
}

/** A header that comes several times is one list (RFC 9110, 5.3). */
const forwardedForOf = ({ headers }: FastifyRequest) => [headers['x-forwarded-for'] ?? []].flat().join(',') || undefined;

function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error.statusCode !== undefined && error.statusCode < 500) return refuse(reply, error.statusCode === 415 ? 'unsupported_media_type' : 'invalid', error.message);
  request.log.error({ err: error }, 'request failed');
  return refuse(reply, 'internal', 'Something went wrong');
}

/** `Retry-After` invites to send the same again: not where it may have been done and would be done twice. */
function refuseUnanswered(reply: FastifyReply, service: ServiceName, error: unknown): FastifyReply {
  if (nothingWasHandedOver(error) || mayBeDoneTwice(reply.request.raw)) return refuse(reply, 'unavailable', `${service} does not answer at the moment`);
  return refuse(reply, 'bad_gateway', `${service} ended before it had answered; what was asked may have been done, look before you repeat it, or send an Idempotency-Key`);
}

function refuse(reply: FastifyReply, code: ErrorCode, message: string): FastifyReply {
  const requestId = reply.request.id;
  const body: ErrorBody = { message, code, requestId };
  if (code === 'unavailable') void reply.header('Retry-After', '1');
  return reply.status(ERROR_STATUS[code]).header('X-Request-Id', requestId).header('Content-Type', 'application/json; charset=utf-8').send(body);
}
