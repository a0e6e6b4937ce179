import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { USER_SCOPES } from './oidc-clients';

const OIDC_SCOPES = ['openid', 'profile', 'email'];

/**
 * Each authorization is a grant of its own, so that revoking one (a code used twice) leaves those of other windows alone. A
 * first-party application is given what it asks for; another one when the user has agreed, which the session remembers.
 */
export async function grantTo(ctx: KoaContextWithOIDC, resource: string): Promise<Grant | undefined> {
  const { client, session, result } = ctx.oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const needsNobody = client['first_party'] === true || result?.consent !== undefined;
  return needsNobody || (await hasAgreed(ctx, resource)) ? newGrant(ctx, resource) : undefined;
}

/** Whether the session's last authorization of this application covers what it asks for now. */
async function hasAgreed(ctx: KoaContextWithOIDC, resource: string): Promise<boolean> {
  const { client, session, provider } = ctx.oidc;
  const agreedId = session?.grantIdFor(client?.clientId ?? '');
  const agreed = agreedId === undefined ? undefined : await provider.Grant.find(agreedId);
  if (agreed === undefined || agreed.accountId !== session?.accountId) return false;
  const agreedScopes = agreed.getResourceScope(resource).split(' ');
  return askedScopes(ctx).every((scope) => agreedScopes.includes(scope) || !USER_SCOPES.some((known) => known === scope));
}

async function newGrant(ctx: KoaContextWithOIDC, resource: string): Promise<Grant> {
  const { client, session, provider } = ctx.oidc;
  const grant = new provider.Grant({ accountId: session?.accountId as string, clientId: client?.clientId as string });
  const asked = askedScopes(ctx);
  grant.addOIDCScope(asked.filter((scope) => OIDC_SCOPES.includes(scope)).join(' '));
  grant.addResourceScope(resource, asked.join(' '));
  grant.addOIDCClaims([...ctx.oidc.requestParamClaims]);
  await grant.save();
  return grant;
}

const askedScopes = (ctx: KoaContextWithOIDC): string[] => [...ctx.oidc.requestParamScopes];
