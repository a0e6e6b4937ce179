import { METHODS } from 'node:http';
import { methodNotAllowed } from '@twinyard/conventions';
import type { FastifyInstance } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';

const ROUTED = METHODS as HTTPMethod[];

/**
 * A path that is there under another method is answered 405 with `Allow` (RFC 9110 section 15.5.6), one that is not there 404, whoever
 * asks. What is there is told by the reference too. Only a request that met no route is looked up.
 */
export function nameAllowedMethods(instance: FastifyInstance): void {
  const routes = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 4_000 });
  const noHandler = () => undefined;
  instance.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return; // preflights of any path
    for (const one of [method].flat() as HTTPMethod[]) if (!routes.hasRoute(one, url)) routes.on(one, url, noHandler);
  });
  instance.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    const [path = '/'] = request.url.split('?', 1);
    const allowed = ROUTED.filter((method) => routes.find(method, path) !== null);
    return allowed.length === 0 ? done() : done(methodNotAllowed(request.method, allowed));
  });
}
