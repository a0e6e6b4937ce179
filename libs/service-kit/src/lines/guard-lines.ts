import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_STATUS, type ErrorCode, ServiceError } from '@twinyard/conventions';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '../logging/logger';
import type { LineTerms } from '../settings/line-settings';
import { CallerCounts } from './caller-counts';
import { hasLine, LineWatch, type Slowness, SMALL_BODY_BYTES } from './line-watch';
import { networkOf } from './network-of';
import { answerOnSocket } from './raw-answer';
import { whenOver } from './when-over';

/** Connections are looked at so often for heads that do not come. */
const HEAD_LOOK_MS = 2_000;

/** For Node's server, by Fastify's option `http`: how long a head may take. A body of any length may take its time, at a pace. */
export const headTerms = ({ headMs }: Pick<LineTerms, 'headMs'>) => ({
  headersTimeout: headMs, requestTimeout: 0, connectionsCheckingInterval: Math.min(HEAD_LOOK_MS, headMs),
});

export interface LineGuard {
  readonly terms: LineTerms;
  readonly logger: Logger;
  /** The address of who asks, by whatever the process believes of what proxies say. */
  readonly addressOf: (request: FastifyRequest) => string;
}

/** What the log and the answer say of a request whose line is cut. */
interface AskedRequest {
  readonly request: FastifyRequest;
  readonly began: number;
}

const shortfall = (slowness: Slowness, { silenceMs, leastBytesPerSecond, smallBodyMs }: LineTerms): string => {
  if (slowness === 'late sender') return `less than ${SMALL_BODY_BYTES / 1_024} KB in each ${smallBodyMs / 1_000} s`;
  return `${leastBytesPerSecond === 0 ? 'nothing' : `less than ${leastBytesPerSecond} bytes a second`} for ${silenceMs / 1_000} s`;
};

/** Holds callers to their pace and to their share of open requests. */
export function guardLines(instance: FastifyInstance, { terms, logger, addressOf }: LineGuard): void {
  const asked = new WeakMap<IncomingMessage, AskedRequest>();
  const open = new CallerCounts(terms.requestsPerCaller);
  const watch = new LineWatch(terms, ({ request: raw, response, socket }, slowness) => {
    const { request: { id: requestId, method, url, routeOptions }, began } = asked.get(raw) as AskedRequest;
    const isAnswered = slowness === 'slow reader' || response.headersSent;
    if (!isAnswered) response.statusCode = ERROR_STATUS.request_timeout;
    logger.info({ requestId, method, route: routeOptions.url ?? 'none', status: response.statusCode, ms: Math.round(performance.now() - began), slowness }, 'a line was cut');
    if (isAnswered) return socket.destroy();
    return answerOnSocket(socket, 'request_timeout', { message: `The body of the request did not come in time: ${shortfall(slowness, terms)}`, requestId, url });
  });
  instance.addHook('onRequest', (request, reply, done) => {
    if (!hasLine(request.raw)) return done();
    const caller = networkOf(addressOf(request));
    asked.set(request.raw, { request, began: performance.now() });
    watch.add(request.raw, reply.raw);
    if (!open.enter(caller)) return done(new ServiceError('too_many_requests', 'Too many requests of this address are open at the same time', { retryAfter: 1 }));
    whenOver(request, reply, () => open.leave(caller));
    return done();
  });
  instance.addHook('onClose', (_instance, done) => {
    watch.close();
    done();
  });
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The head of the request did not come in time'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The head of the request is too large'],
};

/** For Fastify's option of the same name: what is no HTTP is refused in the contract's shape, and can be found in the log. */
export const clientErrorHandler = (log: () => Logger | undefined) => (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  // The caller went away in the middle of a body.
  if (error.code === 'HPE_INVALID_EOF_STATE') return void socket.destroy();
  const [code, message] = CLIENT_ERRORS[error.code ?? ''] ?? ['invalid', 'The request is not valid HTTP'];
  const requestId = randomUUID();
  const isAnswered = answerOnSocket(socket, code, { message, requestId });
  if (isAnswered) log()?.info({ requestId, code, reason: error.code }, 'request refused before it was read');
};
