import type { KoaContextWithOIDC } from 'oidc-provider';
import type { OidcLibrary } from './oidc-library';

/** When somebody must sign in, or agree, before a code is issued: the library's own rules but for two. */
export function signInPolicy({ interactionPolicy }: OidcLibrary) {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  const hasNoAccount = (ctx: KoaContextWithOIDC) => ctx.oidc.session?.accountId !== undefined && ctx.oidc.account === undefined;
  policy.get('login')?.checks.add(new Check('account_gone', 'The account of this session was disabled', hasNoAccount));
  // Applications with a scheme of their own are treated like all others.
  policy.get('consent')?.checks.remove('native_client_prompt');
  return policy;
}
