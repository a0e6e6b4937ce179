import type { FastifyInstance } from 'fastify';
import type { OidcProvider } from './oidc-provider.service';

const TOKEN_ROUTE = /^\/passportsvc\/api\/v[12]\/oauth\/token$/;

/**
 * Token requests go to the library from Fastify's last hook, behind CORS and the rate limit. Nest's guard and interceptors have nothing to
 * say of them, and cost a fifth of the time; `OAuthController` declares them for the reference.
 */
export function shortenTokenRequests(instance: FastifyInstance, oidc: OidcProvider): void {
  instance.addHook('preHandler', async (request, reply) => {
    if (request.method === 'POST' && TOKEN_ROUTE.test(request.routeOptions.url ?? '')) await oidc.handle(request, reply);
  });
}
