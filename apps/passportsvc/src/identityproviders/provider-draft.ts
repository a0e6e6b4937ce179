import type { RequestContext } from '@twinyard/auth';
import { authoredBy } from '@twinyard/conventions';
import type { IdentityProviderEntity } from './identity-provider.entity';
import type { ProviderSecrets } from './provider-secrets';

type Settable = Pick<IdentityProviderEntity, 'name' | 'issuer' | 'clientId' | 'scopes' | 'domains' | 'provision'>;

export interface ProviderDraft extends Settable {
  /** Empty: a public client. */
  readonly secret: string;
  readonly trusted?: boolean;
}

export type ProviderChanges = Partial<ProviderDraft>;

export function drafted(ctx: RequestContext, secrets: ProviderSecrets, draft: ProviderDraft & { readonly id: string; readonly orgId: string }): IdentityProviderEntity {
  const { secret, trusted, ...fields } = draft;
  return {
    ...fields, groupId: null, sealedSecret: secret === '' ? null : secrets.seal(secret, draft.id),
    trusted: ctx.access.isPlatformManager && trusted !== false, ...authoredBy(ctx.callerId),
  };
}

export function changed(ctx: RequestContext, secrets: ProviderSecrets, known: IdentityProviderEntity, { secret, trusted, ...changes }: ProviderChanges): IdentityProviderEntity {
  const next = { ...known, ...changes, updatedAt: new Date(), updatedById: ctx.callerId };
  return {
    ...next,
    ...(secret !== undefined && { sealedSecret: secret === '' ? null : secrets.seal(secret, known.id) }),
    trusted: ctx.access.isPlatformManager ? (trusted ?? known.trusted) : known.trusted && speaksForTheSame(known, next),
  };
}

/** A platform manager has trusted this issuer for these addresses: who else asks for another issuer, or for more addresses, has that decided anew. */
function speaksForTheSame(known: IdentityProviderEntity, next: IdentityProviderEntity): boolean {
  if (next.issuer !== known.issuer) return false;
  if (known.domains.length === 0) return true;
  return next.domains.length > 0 && next.domains.every((domain) => known.domains.includes(domain));
}
