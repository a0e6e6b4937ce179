import { Injectable } from '@nestjs/common';
import type { InvalidationKey, RequestContext } from '@twinyard/auth';
import { forbidden, isRefusal, isUuid, notFound, type Paging, parseIrn, type Slice } from '@twinyard/conventions';
import type { AuditFact } from '../audit/audit-fact';
import { AuditLog } from '../audit/audit-log';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { parsePermission } from './permission.dto';
import type { Permission } from './permission.entity';
import { type PermissionDraft, type PermissionFilter, PermissionsRepository, type PrincipalRef, type SharedPattern, type Visibility } from './permissions.repository';
import { PrincipalDirectory } from './principal-directory';

export interface PermissionFailure {
  readonly entry: unknown;
  readonly reason: string;
}

export interface PermissionsResult {
  readonly success: readonly Permission[];
  readonly failures: readonly PermissionFailure[];
}

export const keyOf = ({ type, id }: PrincipalRef): InvalidationKey => `${type}:${id}`;

@Injectable()
export class PermissionsService {
  constructor(
    private readonly permissions: PermissionsRepository,
    private readonly principals: PrincipalDirectory,
    private readonly feed: GrantFeed,
    private readonly audit: AuditLog,
  ) {}

  /** Grants what may be granted and tells why the rest may not. In force everywhere when it returns. */
  async put(ctx: RequestContext, entries: readonly unknown[], service?: string): Promise<PermissionsResult> {
    const drafts: PermissionDraft[] = [];
    const failures: PermissionFailure[] = [];
    for (const entry of entries) {
      try {
        drafts.push(await this.check(ctx, parsePermission(entry, ctx.callerId), service));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        failures.push({ entry, reason: error.message });
      }
    }
    const success = await this.feed.commit(async (tx) => {
      const result: Permission[] = [];
      for (const draft of inLockOrder(drafts)) result.push(await this.permissions.grant(tx, draft));
      await this.audit.record(tx, ctx, ...result.map((permission) => factOf('GRANT', permission)));
      return { result, keys: drafts.map(({ user }) => keyOf(user)) };
    });
    return { success, failures };
  }

  list(ctx: RequestContext, filter: PermissionFilter, paging: Paging): Promise<Slice<Permission>> {
    return this.permissions.list(visibilityOf(ctx), filter, paging);
  }

  async get(ctx: RequestContext, id: string): Promise<Permission> {
    const permission = isUuid(id) ? await this.permissions.findVisible(visibilityOf(ctx), id) : undefined;
    if (permission === undefined) throw notFound('permission', id);
    return permission;
  }

  async remove(ctx: RequestContext, id: string): Promise<void> {
    const permission = await this.get(ctx, id);
    if (!ctx.access.canShare([], parseIrn(permission.irn), permission.namespace)) throw forbidden('Taking a permission back needs SHARE on its resource');
    await this.feed.commit(async (tx) => {
      if (await this.permissions.remove(tx, id)) await this.audit.record(tx, ctx, factOf('REVOKE', permission));
      return { result: undefined, keys: [keyOf({ type: permission.principalType, id: permission.principalId })] };
    });
  }

  private async check(ctx: RequestContext, draft: PermissionDraft, service: string | undefined): Promise<PermissionDraft> {
    const irn = parseIrn(draft.irn);
    if (service !== undefined && irn.service !== service) throw forbidden(`_resourceDesc._irn must be of ${service}`);
    if (!ctx.access.canShare(draft.actions, irn, draft.namespace)) {
      throw forbidden(`You need SHARE and each granted action on ${draft.irn} in ${draft.namespace}`);
    }
    await this.principals.require(draft.user);
    return draft;
  }
}

/** The actions of a grant are what is held from then on, of a revocation what was held. */
const factOf = (action: 'GRANT' | 'REVOKE', { id, irn, namespace, actions, principalType, principalId, criteria, subresource }: Permission): AuditFact => ({
  action, irn, namespace,
  details: {
    permissionId: id, principalType, principalId, actions,
    ...(criteria && { criteria: JSON.stringify(criteria) }), ...(subresource && { subresource: JSON.stringify(subresource) }),
  },
});

/** Two calls that grant the same permissions in another order must not wait for each other in a circle. */
const inLockOrder = (drafts: readonly PermissionDraft[]) => {
  const nameOf = (draft: PermissionDraft) => JSON.stringify([draft.namespace, draft.user.type, draft.user.id, draft.irn, draft.criteria, draft.subresource]);
  return [...drafts].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
};

/** Contract 0.4: grants to the caller and its groups, and all on what it may SHARE. */
function visibilityOf(ctx: RequestContext): Visibility {
  const own: PrincipalRef[] = [{ type: ctx.principal.type, id: ctx.principal.id }, ...ctx.access.groupIds.map((id) => ({ type: 'usergroup' as const, id }))];
  return { principals: own, shared: ctx.access.namespaces.flatMap((namespace) => sharedIn(ctx, namespace)) };
}

function sharedIn(ctx: RequestContext, namespace: string): SharedPattern[] {
  return ctx.access
    .grantsIn(namespace)
    .filter((grant) => ctx.access.canShare([], parseIrn(grant.irn), namespace))
    .map((grant) => ({ namespace, ...parseIrn(grant.irn) }));
}
