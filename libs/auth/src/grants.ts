import type { GrantableAction, PrincipalType, ResourceCriteria, SubresourceDesc } from '@twinyard/conventions';

/** One permission that a principal holds, directly or through a group or profile. */
export interface Grant {
  readonly permissionId: string;
  readonly namespace: string;
  readonly actions: readonly GrantableAction[];
  /** IRN pattern, `*` at any level. */
  readonly irn: string;
  readonly criteria?: ResourceCriteria;
  readonly subresource?: SubresourceDesc;
  readonly via: { readonly type: PrincipalType; readonly id: string };
}

/** All that a service must know of a principal to answer its requests. */
export interface EffectiveGrants {
  /** False for a disabled user, an ended session, a revoked token: the request is answered with 401. */
  readonly active: boolean;
  readonly platformManager: boolean;
  readonly groupIds: readonly string[];
  readonly grants: readonly Grant[];
  /** Of the namespaces of the grants, the organization that each belongs to; a namespace that is missing belongs to nobody else. */
  readonly organizations?: Readonly<Record<string, string>>;
  /** Display name, for `_createdByName`. */
  readonly name?: string;
  readonly email?: string;
  readonly emailVerified?: boolean;
}

export const NO_GRANTS: EffectiveGrants = { active: false, platformManager: false, groupIds: [], grants: [] };
