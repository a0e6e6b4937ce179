import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasLine } from '../lines/line-watch';
import { whenOver } from '../lines/when-over';
import type { Logger } from './logger';

/** `msg` of the line that each request leaves: whoever looks for one by its id, or leaves them out, goes by it. */
export const REQUEST_LINE = 'request';

/** What callers reach through the gateway. Health, metrics and what the services ask each other say nothing at info. */
const PUBLIC = /^\/(?:[a-z]+svc|nameduseritems)(?:\/|$)/;
const NAMESPACE = /^[A-Za-z0-9]{1,64}_[A-Za-z0-9]{8}$/;
const MOST_NAMESPACES = 10;

/** What a guard knows of a request that it has let in. */
interface KnownRequest {
  readonly ctx?: { readonly principal: { readonly type: string; readonly id: string } };
}

const named = new WeakMap<IncomingMessage, string>();

/** For routes that ask by themselves who calls: `user:<id>` or `client:<id>`, once that is proved. */
export const nameCaller = (request: IncomingMessage, type: 'user' | 'client', id: string): void => void named.set(request, `${type}:${id}`);

/**
 * One line for every request, when its answer is out or its caller gone, whoever answered it: the router, a guard, a handler, a library
 * that took the connection over. It holds the route and never the path, since ids, signatures and filters are in paths and queries.
 */
export function logRequests(instance: FastifyInstance, logger: Logger): void {
  instance.addHook('onRequest', (request, reply, done) => {
    if (hasLine(request.raw)) logWhenOver(logger, request, reply);
    done();
  });
}

/** For a request that meets no hook. */
export function logWhenOver(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const beginning = { began: performance.now(), bytesWritten: request.raw.socket.bytesWritten };
  whenOver(request, reply, () => logRequest(logger, request, reply, beginning));
}

interface Beginning {
  readonly began: number;
  readonly bytesWritten: number;
}

function logRequest(logger: Logger, request: FastifyRequest, { raw }: FastifyReply, { began, bytesWritten }: Beginning): void {
  const route = request.routeOptions.url;
  const level = PUBLIC.test(route ?? request.url) ? 'info' : 'debug';
  if (!logger.isLevelEnabled(level)) return;
  const caller = callerOf(request);
  const namespaces = namespacesOf(request);
  logger[level]({
    requestId: request.id,
    method: request.method,
    route: route ?? 'none',
    status: raw.statusCode,
    ms: Math.round((performance.now() - began) * 10) / 10,
    bytes: request.raw.socket.bytesWritten - bytesWritten,
    ...(caller !== undefined && { caller }),
    ...(namespaces !== undefined && { namespaces }),
    ...(!raw.writableFinished && { aborted: true }),
  }, REQUEST_LINE);
}

function callerOf(request: FastifyRequest): string | undefined {
  const principal = (request as FastifyRequest & KnownRequest).ctx?.principal;
  return principal === undefined ? named.get(request.raw) : `${principal.type}:${principal.id}`;
}

/** Those of `nsfilter` that can be names: what else a caller writes there is text of its own. */
function namespacesOf({ query }: FastifyRequest): string[] | undefined {
  const given = (query as { readonly nsfilter?: unknown } | undefined)?.nsfilter;
  if (given === undefined) return undefined;
  const names = String(given).split(',', MOST_NAMESPACES).filter((name) => NAMESPACE.test(name));
  return names.length === 0 ? undefined : names;
}
