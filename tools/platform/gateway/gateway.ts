import { type IncomingMessage, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import replyFrom from '@fastify/reply-from';
import { ServiceError } from '@twinyard/conventions';
import { CallerCounts, clientErrorHandler, createLogger, endConnections, guardLines, headTerms, type Logger, networkOf, requestIdOf } from '@twinyard/service-kit/process';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import { addressOf } from './client-address';
import type { GatewaySettings } from './config';
import { EventStreams } from './event-streams';
import { forwarderTo } from './forward';
import { serveFront } from './front/front.routes';
import { answerError, refusePath } from './refusals';
import { servicesNotReady } from './service-readiness';
import { OWN_METHODS } from './routing';
import { GatheredBodies } from './shares/gathered-bodies';
import { UpstreamClient } from './upstream-client';

/** Filters travel in the query, up to 10,000 values of them (contract 2.3). */
const MAX_HEADER_BYTES = 1024 * 1024;

/** The one origin: routes by first path segment and streams both ways. `isStopping`: it answers on, and is not ready. */
export async function createGateway(settings: GatewaySettings, isStopping: () => boolean = () => false): Promise<FastifyInstance> {
  const client = new UpstreamClient(settings.connectionMs, settings.slots.total);
  const streams = new EventStreams();
  const logger = createLogger('gateway', settings.logLevel);
  const gateway = fastify({
    // Requests are told by a line of their own; what Fastify says of itself is for who looks for more.
    loggerInstance: logger.child({}, { level: logger.level === 'info' ? 'warn' : logger.level }),
    childLoggerFactory: () => logger,
    logController: new LogController({ disableRequestLogging: true }),
    http: { maxHeaderSize: MAX_HEADER_BYTES, ...headTerms(settings.lines) },
    clientErrorHandler: clientErrorHandler(() => logger),
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    genReqId: requestIdOf,
    exposeHeadRoutes: false,
    frameworkErrors: (_error, _request, reply) => refusePath(reply),
  }) as unknown as FastifyInstance;
  takeAnyMethod(gateway);
  passBodiesThrough(gateway);
  gateway.setErrorHandler(answerError);
  limitCallers(gateway, settings, logger);
  endConnections(gateway, { isStopping, headMs: settings.lines.headMs });
  await gateway.register(replyFrom, { undici: client as never, disableCache: true, disableRequestLogging: true });
  gateway.addHook('preClose', (done) => {
    streams.endAll();
    done();
  });
  gateway.addHook('onClose', () => client.destroy());
  serveHealth(gateway, settings, isStopping);
  serveFront(gateway, settings);
  gateway.all('/*', forwarderTo(settings, { client, streams }));
  return gateway;
}

/** Whether a method is answered at a path is for the service to say: it knows which ones are. */
function takeAnyMethod(gateway: FastifyInstance): void {
  for (const method of METHODS) {
    if (method === 'CONNECT') continue;
    // As one with a body (RFC 10008) Fastify would refuse it itself where body or type is missing. No service answers it.
    if (method === 'QUERY') gateway.addHttpMethod(method, { hasBody: false, overrideExisting: true });
    else if (!gateway.supportedMethods.includes(method)) gateway.addHttpMethod(method, { hasBody: true });
  }
}

function limitCallers(gateway: FastifyInstance, { lines, trustedProxies, connectionsPerCaller }: GatewaySettings, logger: Logger): void {
  guardLines(gateway, { terms: lines, logger, addressOf: (request) => addressOf(request, trustedProxies) });
  if (trustedProxies === 0) limitConnections(gateway, connectionsPerCaller);
}

/** A connection too many is told so by its first request; as many again, and those that come then are closed at once. */
function limitConnections(gateway: FastifyInstance, most: number): void {
  const [open, refused] = [new CallerCounts(most), new CallerCounts(most)];
  const tooMany = new WeakSet<Socket>();
  gateway.server.prependListener('connection', (socket) => {
    const caller = networkOf(socket.remoteAddress ?? '');
    const counts = [open, refused].find((each) => each.enter(caller));
    if (counts === undefined) return void socket.destroy();
    if (counts === refused) tooMany.add(socket);
    return void socket.once('close', () => counts.leave(caller));
  });
  gateway.addHook('onRequest', (request, reply, done) => {
    if (!tooMany.has(request.raw.socket)) return done();
    void reply.header('Connection', 'close');
    return done(new ServiceError('too_many_requests', 'Too many connections of this address are open', { retryAfter: 1 }));
  });
}

/** Bodies are the services' business: here they are streams without a type or a limit. */
function passBodiesThrough(gateway: FastifyInstance): void {
  const bodies = new GatheredBodies();
  gateway.removeAllContentTypeParsers();
  gateway.addContentTypeParser('*', (request, payload, done) => {
    if (hasBody(request.raw)) bodies.take(payload, (body) => done(null, body));
    else done(null, undefined);
  });
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function serveHealth(gateway: FastifyInstance, { upstreams }: GatewaySettings, isStopping: () => boolean): void {
  gateway.route({ method: [...OWN_METHODS], url: '/health/live', handler: (_request, reply) => reply.send({ status: 'ok' }) });
  gateway.route({
    method: [...OWN_METHODS], url: '/health/ready',
    handler: async (_request, reply) => {
      const notReady = isStopping() ? ['gateway'] : await servicesNotReady(upstreams);
      return notReady.length === 0 ? reply.send({ status: 'ready' }) : reply.status(503).send({ status: 'not ready', notReady });
    },
  });
}
