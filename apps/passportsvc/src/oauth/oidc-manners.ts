import { nameCaller } from '@twinyard/service-kit';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { ClientAuthentication } from './client-authentication';
import { type FormFault, readFormAsQuery, toLibraryQuery } from './authorize-request';
import { renderOAuthError } from './oauth-error-page';
import { OWN_DISCOVERY } from './discovery';
import { OAUTH_ROUTES, PASSPORT_PATH } from './oidc-configuration';
import { sendTo } from './response-modes';

/**
 * This API's paths and manners around oidc-provider (contract 1.1): v1 and v2 of the same endpoints, POST to authorize as
 * GET, both response modes, 403 for a refused token request. A Koa middleware in front of the library's own.
 */
export function apiManners(provider: Provider, authentication: ClientAuthentication, baseUrl: string) {
  const { protocol, host } = new URL(baseUrl);
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    ctx.req.headers['x-forwarded-proto'] = protocol.replace(':', '');
    ctx.req.headers['x-forwarded-host'] = host;
    ctx['mountPath'] = PASSPORT_PATH;
    ctx.state['version'] = ctx.path.startsWith(`${PASSPORT_PATH}/api/v1/`) ? 'v1' : 'v2';
    // Koa's setter of the path alone would take the address apart and put it together anew.
    ctx.url = libraryPath(ctx.path) + ctx.search;
    ctx.set('Referrer-Policy', 'no-referrer');
    // Whose scripts may read answers was decided for all routes alike; the library would let everybody.
    const isAllowedOrigin = ctx.res.hasHeader('Access-Control-Allow-Origin');
    if (ctx.path === OAUTH_ROUTES.authorization) await authorize(provider, ctx, next);
    else if (ctx.path === OAUTH_ROUTES.end_session && ctx.method === 'POST') await endSessionByForm(ctx);
    else if (ctx.path === OAUTH_ROUTES.token) await token(provider, authentication, ctx, next);
    else await next();
    if (ctx.path.startsWith('/.well-known/')) ctx.body = { ...(ctx.body as object), ...OWN_DISCOVERY };
    if (!isAllowedOrigin && ctx.path !== OAUTH_ROUTES.jwks) ctx.remove('Access-Control-Allow-Origin');
    if (ctx.status === 303) ctx.status = 302;
  };
}

const libraryPath = (path: string) =>
  path.slice(PASSPORT_PATH.length).replace(/\/+$/, '').replace(/^\/api\/v1\/oauth\/(authorize|token)/, '/api/v2/oauth/$1');

async function authorize(provider: Provider, ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  const fault = ctx.method === 'POST' ? await readFormAsQuery(ctx) : undefined;
  if (fault !== undefined) return refuseForm(ctx, fault);
  try {
    ctx.query = await toLibraryQuery(ctx, provider);
  } catch (error) {
    reportFailure(provider, ctx, error);
    return renderOAuthError(ctx, { error: 'server_error' });
  }
  await next();
  const signedIn = ctx.oidc?.session?.accountId;
  if (signedIn !== undefined) nameCaller(ctx.req, 'user', signedIn);
}

function refuseForm(ctx: KoaContextWithOIDC, { status, description }: FormFault): Promise<void> {
  ctx.status = status;
  return renderOAuthError(ctx, { error: 'invalid_request', error_description: description });
}

/**
 * OpenID Connect RP-Initiated Logout 1.0 section 2: "OpenID Providers MUST support the use of the HTTP GET and POST methods". The browser comes again by GET:
 * with the form of another site's page it has sent no cookie of ours (`SameSite=Lax`), and who is signed in would not be known.
 */
async function endSessionByForm(ctx: KoaContextWithOIDC): Promise<void> {
  const fault = await readFormAsQuery(ctx);
  if (fault !== undefined) return refuseForm(ctx, fault);
  sendTo(ctx, `${PASSPORT_PATH}${OAUTH_ROUTES.end_session}?${new URLSearchParams(ctx.querystring)}`);
}

/** What fails before the library has the request. */
function reportFailure(provider: Provider, ctx: KoaContextWithOIDC, error: unknown): void {
  ctx.status = 500;
  provider.emit('server_error', ctx, error as Error);
}

interface TokenAnswer {
  readonly error?: string;
  readonly error_description?: string;
  readonly access_token?: string;
  readonly token_type?: string;
}

async function token(provider: Provider, authentication: ClientAuthentication, ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  ctx.req.headers.accept = 'application/json';
  try {
    ctx.req.headers.authorization = await authentication.inOneReading(ctx.req.headers.authorization);
  } catch (error) {
    reportFailure(provider, ctx, error);
    ctx.body = { error: 'server_error' };
    return;
  }
  await next();
  const answer = ctx.body as TokenAnswer | undefined;
  if (answer?.error !== undefined) refuse(ctx, answer);
  else if (answer?.access_token !== undefined) issue(ctx, answer);
}

/** Refused token requests: 403 with the body of RFC 6749 (contract 1.1). */
function refuse(ctx: KoaContextWithOIDC, answer: TokenAnswer): void {
  if (ctx.status === 400 || ctx.status === 401) ctx.status = 403;
  // A challenge belongs to 401; relying parties would read it in place of the body.
  ctx.remove('WWW-Authenticate');
  if (answer.error_description?.includes('grant type is not allowed') === true) ctx.body = { ...answer, error: 'unauthorized_client' };
}

function issue(ctx: KoaContextWithOIDC, answer: TokenAnswer): void {
  const { ClientCredentials, AccessToken } = ctx.oidc.entities;
  const issued = ClientCredentials ?? AccessToken;
  if (ClientCredentials?.clientId !== undefined) nameCaller(ctx.req, 'client', ClientCredentials.clientId);
  else if (AccessToken !== undefined) nameCaller(ctx.req, 'user', AccessToken.accountId);
  ctx.body = { ...answer, token_type: ctx.state['version'] === 'v1' ? 'bearer' : answer.token_type, jti: issued?.jti };
}
