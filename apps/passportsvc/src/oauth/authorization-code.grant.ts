import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { OidcLibrary } from './oidc-library';
import { answersChallenge, isCodeVerifier } from './pkce';
import { isSameRedirectUri } from './redirect-uris';

/** When it was used, in epoch seconds; the library's types leave it out. */
const isConsumed = (code: object) => (code as { consumed?: number }).consumed !== undefined;

/** The library hands its helpers around with the provider filled in. A module that is loaded has other members than functions too. */
const bindAll = (helpers: object, provider: Provider) =>
  Object.fromEntries(Object.entries(helpers).flatMap(([name, helper]) => (typeof helper === 'function' ? [[name, helper.bind(undefined, provider) as unknown]] : [])));

export const AUTHORIZATION_CODE_PARAMETERS = ['code', 'code_verifier', 'redirect_uri', 'resource'];

/**
 * RFC 6749 section 4.1.3 with PKCE. In place of the library's own: verifiers may be short, redirect URIs are equal but for a
 * trailing slash, and a code that is used again is found out before all else, so that its tokens are revoked in any case.
 */
export function authorizationCodeGrant(provider: Provider, library: OidcLibrary) {
  const { errors, grantHelpers, issueTokens } = library;
  const helpers = bindAll(grantHelpers, provider);

  return async function exchangeCode(ctx: KoaContextWithOIDC): Promise<void> {
    const { code: value, code_verifier: verifier, redirect_uri: redirectUri } = ctx.oidc.params as Record<string, string | undefined>;
    if (!value || !redirectUri) throw new errors.InvalidRequest('missing required parameter code or redirect_uri');

    const code = await grantHelpers.findGrantSource(provider, ctx, provider.AuthorizationCode, value, 'authorization code');
    if (isConsumed(code)) await grantHelpers.consumeGrantSource(provider, ctx, code, 'authorization code');
    if (code.isExpired) throw new errors.InvalidGrant('authorization code is expired');
    const grant = await grantHelpers.validateGrant(provider, ctx, code.grantId as string);

    requireVerifier(code.codeChallenge, verifier);
    if (!isSameRedirectUri(code.redirectUri as string, redirectUri)) throw new errors.InvalidGrant('authorization code redirect_uri mismatch');
    await grantHelpers.consumeGrantSource(provider, ctx, code, 'authorization code');

    ctx.oidc.entity('AuthorizationCode', code);
    ctx.oidc.entity('Grant', grant);
    await issueTokens(provider, helpers, ctx, code, grant, { gty: 'authorization_code', entityLabel: 'authorization code' });
  };

  /** RFC 9700 section 2.1.1: a verifier without a challenge is a downgrade, and refused as well. */
  function requireVerifier(challenge: string | undefined, verifier: string | undefined): void {
    if (challenge === undefined && verifier === undefined) return;
    if (verifier === undefined || challenge === undefined) throw new errors.InvalidGrant('code_verifier and code_challenge belong together');
    if (!isCodeVerifier(verifier)) throw new errors.InvalidRequest('code_verifier must be 16 to 128 unreserved characters');
    if (!answersChallenge(verifier, challenge)) throw new errors.InvalidGrant('code_verifier does not match code_challenge');
  }
}
