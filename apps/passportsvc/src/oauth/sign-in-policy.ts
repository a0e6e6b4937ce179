import type { KoaContextWithOIDC } from 'oidc-provider';
import { statusAt } from '../invites/invite-status';
import type { InvitesRepository } from '../invites/invites.repository';
import type { OidcLibrary } from './oidc-library';

/** When somebody must sign in, answer an invite, or agree, before a code is issued: the library's own rules but for these. */
export function signInPolicy({ interactionPolicy }: OidcLibrary, invites: InvitesRepository) {
  const policy = interactionPolicy.base();
  const { Check, Prompt } = interactionPolicy;
  const hasNoAccount = (ctx: KoaContextWithOIDC) => ctx.oidc.session?.accountId !== undefined && ctx.oidc.account === undefined;
  policy.get('login')?.checks.add(new Check('account_gone', 'The account of this session was disabled', hasNoAccount));
  // Applications with a scheme of their own are treated like all others.
  policy.get('consent')?.checks.remove('native_client_prompt');
  policy.add(new Prompt({ name: 'invite' }, new Check('invite_pending', 'The invite has not been answered', (ctx) => isAsked(ctx, invites))), 1);
  return policy;
}

/** Once in a sign-in that names an invite which can still be answered; a silent one goes on without it. */
async function isAsked(ctx: KoaContextWithOIDC, invites: InvitesRepository): Promise<boolean> {
  const { params, session, result, prompts } = ctx.oidc;
  const inviteId = params?.['inviteId'];
  if (typeof inviteId !== 'string' || session?.accountId === undefined || result?.['invite'] !== undefined || prompts.has('none')) return false;
  const invite = await invites.find(inviteId);
  return invite !== undefined && statusAt(invite, new Date()) === 'PENDING';
}
