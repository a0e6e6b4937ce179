import { forbidden, type Principal } from '@twinyard/conventions';
import { Access } from './access';
import type { GrantSource } from './grant-source';
import { RequestContext } from './request-context';

/** What is kept of a caller beside work that is done later in its name. Rights are not kept: they are asked for anew. */
export interface StoredCaller {
  readonly principal: Principal;
  /** `nsfilter`; absent where it was optional and missing. */
  readonly namespaces?: readonly string[];
  readonly requestId: string;
  /** Absent in work that was accepted before addresses were kept. */
  readonly address?: string;
}

export const toStoredCaller = (ctx: RequestContext): StoredCaller => ({
  principal: ctx.principal, requestId: ctx.requestId, address: ctx.address,
  ...(ctx.access.requestedNamespaces !== undefined && { namespaces: ctx.access.requestedNamespaces }),
});

/** The caller with the grants that it holds now; 403 when it has been disabled or signed out since. */
export async function resumeCaller(grants: GrantSource, { principal, namespaces, requestId, address }: StoredCaller): Promise<RequestContext> {
  const effective = await grants.resolve(principal);
  if (!effective.active) throw forbidden('Whoever asked for this has been disabled or signed out since');
  return new RequestContext(principal, new Access(effective, principal.scopes, namespaces), requestId, address ?? '');
}
