import type { Client, ClientMetadata, Configuration, KoaContextWithOIDC, ResourceServer } from 'oidc-provider';
import type { PassportSettings } from '../config';
import { LANGUAGES } from '../pages/texts/language';
import type { KeySet } from '../signing-keys/signing-keys.service';
import { toClaims } from './claims';
import { grantTo } from './grants';
import { CLIENT_AUTHENTICATION } from './discovery';
import { CLIENT_METADATA, CLIENT_SCOPES, USER_SCOPES } from './oidc-clients';
import type { OidcLibrary } from './oidc-library';
import { OidcStore, type OidcStores } from './oidc-store.adapter';
import { renderOAuthError } from './oauth-error-page';
import { COOKIE_OPTIONS, SESSION_COOKIE, SESSION_COOKIE_OPTIONS } from './session-cookie';
import { signInPolicy } from './sign-in-policy';
import { rpInitiatedLogout } from './sign-out';
import { tokenLifetimes } from './token-lifetimes';

export const OAUTH_ROUTES = {
  authorization: '/api/v2/oauth/authorize',
  token: '/api/v2/oauth/token',
  jwks: '/api/v1/oauth/jwks',
  end_session: '/api/v1/oauth/end_session',
} as const;

/** Ours, since access tokens are JWTs that oidc-provider does not store. */
const OWN_ENDPOINTS = {
  userinfo_endpoint: '/api/v1/oauth/userinfo',
  revocation_endpoint: '/api/v1/oauth/revoke',
  introspection_endpoint: '/api/v1/oauth/introspect',
} as const;

export const PASSPORT_PATH = '/passportsvc';
export const SIGN_IN_PATH = `${PASSPORT_PATH}/sign-in`;
const CODE_SECONDS = 60;

export interface OidcParts {
  readonly settings: PassportSettings;
  readonly keys: KeySet;
  readonly stores: OidcStores;
  readonly library: OidcLibrary;
}

export function oidcConfiguration(parts: OidcParts): Configuration {
  const { settings, keys, stores, library } = parts;
  const alreadyUsed = () => new library.errors.InvalidGrant('it was used before');
  const issuer = settings.BASE_URL + PASSPORT_PATH;
  return {
    adapter: (model: string) => new OidcStore(model, stores, alreadyUsed),
    jwks: { keys: [...keys.tokenKeys] as never },
    cookies: cookies(keys),
    routes: OAUTH_ROUTES,
    discovery: { ...Object.fromEntries(Object.entries(OWN_ENDPOINTS).map(([name, path]) => [name, issuer + path])), ui_locales_supported: LANGUAGES },
    // `none` (OAuth 2.0 Multiple Response Types, section 4) is for the account page, which wants a session and no code.
    responseTypes: ['code', 'none'],
    extraParams: ['inviteId'],
    clientAuthMethods: [...CLIENT_AUTHENTICATION],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    extraClientMetadata: { properties: [...CLIENT_METADATA] },
    scopes: ['openid', 'profile', 'email'],
    claims: { openid: ['sub'], profile: ['name', 'given_name', 'family_name', 'locale'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    pkce: { required: (ctx) => ctx.state['version'] !== 'v1' || ctx.oidc.client?.clientAuthMethod === 'none' },
    ttl: { ...tokenLifetimes(settings, library.errors), AuthorizationCode: CODE_SECONDS },
    features: { ...features(settings, library) },
    findAccount: async (_ctx, id) => {
      const user = await stores.users.findById(id);
      return user === undefined || user.disabled ? undefined : { accountId: id, claims: async () => toClaims(user) };
    },
    // Every access token is a JWT and none is stored, so what is ours goes straight into its payload.
    formats: { customizers: { jwt: (ctx, token, { payload }) => void Object.assign(payload, tokenClaims(token as unknown as TokenSource, ctx.oidc.client)) } },
    loadExistingGrant: (ctx) => grantTo(ctx, settings.BASE_URL),
    // A logout ends what was issued in a session by itself, with the change feed (see Sessions).
    expiresWithSession: async () => false,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    interactions: { policy: signInPolicy(library, stores.invites), url: async (_ctx, interaction) => `${settings.BASE_URL}${SIGN_IN_PATH}/${interaction.uid}` },
    // The origins that may read answers are checked for every route alike, before this.
    clientBasedCORS: () => true,
    renderError: renderOAuthError,
  };
}

interface TokenSource {
  readonly kind: string;
  readonly jti: string;
  readonly sessionUid?: string;
  readonly grantId?: string;
}

/**
 * What `TokenVerifier` reads beside the registered claims. A client's token is an authorization of its own, so that it can be revoked;
 * the secret that it was got with is its session.
 */
const tokenClaims = ({ kind, jti, sessionUid, grantId }: TokenSource, client: Client | undefined) =>
  kind === 'ClientCredentials' ? { principal_type: 'client', gid: jti, sid: client?.['secret_generation'] } : { sid: sessionUid, gid: grantId };

function cookies(keys: KeySet): NonNullable<Configuration['cookies']> {
  return {
    keys: [...keys.cookieKeys],
    names: { session: SESSION_COOKIE, interaction: 'passport_sign_in', resume: 'passport_resume' },
    long: SESSION_COOKIE_OPTIONS,
    short: COOKIE_OPTIONS,
  };
}

function features(settings: PassportSettings, { errors }: OidcLibrary): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    userinfo: { enabled: false },
    rpInitiatedLogout,
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    // Every token is for the platform as a whole, so clients need not name a resource (RFC 8707).
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => settings.BASE_URL,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (ctx, resource, client) => {
        if (resource !== settings.BASE_URL) throw new errors.InvalidTarget();
        return platform(settings, allowedScopes(ctx, client as unknown as ClientMetadata, errors));
      },
    },
  };
}

const platform = (settings: PassportSettings, scope: string): ResourceServer => ({
  scope, audience: settings.BASE_URL, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } },
});

const KNOWN_SCOPES: ReadonlySet<string> = new Set([...USER_SCOPES, ...CLIENT_SCOPES]);

/** A client that asks for no scope gets all of its own; one that asks for a scope of the platform that it was not given is refused. */
function allowedScopes(ctx: KoaContextWithOIDC, client: ClientMetadata, errors: OidcLibrary['errors']): string {
  const allowed = String(client['allowed_scopes'] ?? USER_SCOPES.join(' '));
  const { params } = ctx.oidc;
  if (params === undefined || params['grant_type'] !== 'client_credentials') return allowed;
  if (params['scope'] === undefined) params['scope'] = allowed;
  const refused = String(params['scope']).split(' ').find((scope) => KNOWN_SCOPES.has(scope) && !allowed.split(' ').includes(scope));
  if (refused !== undefined) throw new errors.InvalidScope('requested scope is not allowed', refused);
  return allowed;
}
