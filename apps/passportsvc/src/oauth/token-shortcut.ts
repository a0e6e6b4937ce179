import { refuseBrokenText } from '@twinyard/conventions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OidcProvider } from './oidc-provider.service';

const TOKEN_ROUTE = /^\/passportsvc\/api\/v[12]\/oauth\/token$/;

/**
 * Token requests go to the library as soon as CORS and the rate limit have let them in: it reads and checks the body by itself, and
 * what Fastify, Nest's guard and interceptors would do in between has nothing to say of them but cost a quarter of the time.
 * `OAuthController` declares the routes, for the reference.
 */
export function shortenTokenRequests(instance: FastifyInstance, oidc: OidcProvider): void {
  const answer = (request: FastifyRequest, reply: FastifyReply, _body: unknown, done: (error: Error) => void): void => {
    try {
      refuseBrokenText(request.query, 'query');
    } catch (error) {
      return done(error as Error);
    }
    oidc.handle(request, reply).catch(done);
  };
  instance.addHook('onRoute', (route) => {
    if (route.method === 'POST' && TOKEN_ROUTE.test(route.url)) route.preParsing = answer;
  });
}
