import { Injectable } from '@nestjs/common';
import type { InvalidationKey, KeepAnswer, RequestContext } from '@twinyard/auth';
import { forbidden, isRefusal, isUuid, notFound, type Paging, parseIrn, type Slice } from '@twinyard/conventions';
import { AuditLog } from '../audit/audit-log';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { LastOwnerError } from '../ownership/last-owner';
import { notShareable } from './not-shareable';
import { parsePermission } from './permission.dto';
import type { Permission } from './permission.entity';
import { grantFact } from './permission-facts';
import { ALL_RESOURCES, couldTakeOwner, type PermissionDraft, type PermissionFilter, PermissionsRepository, type PrincipalRef, type SharedPattern, type Visibility } from './permissions.repository';
import { PrincipalDirectory } from './principal-directory';

export interface PermissionFailure {
  readonly entry: unknown;
  readonly reason: string;
}

interface WantedPermission {
  readonly entry: unknown;
  readonly draft: PermissionDraft;
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
  async put(ctx: RequestContext, entries: readonly unknown[], service?: string, keep?: KeepAnswer<PermissionsResult>): Promise<PermissionsResult> {
    const wanted: WantedPermission[] = [];
    const failures: PermissionFailure[] = [];
    for (const entry of entries) {
      try {
        wanted.push({ entry, draft: await this.check(ctx, parsePermission(entry, ctx.callerId), service) });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        failures.push({ entry, reason: error.message });
      }
    }
    return this.grantUnlessLast(ctx, wanted, failures, keep);
  }

  list(ctx: RequestContext, filter: PermissionFilter, paging: Paging): Promise<Slice<Permission>> {
    return this.permissions.list(visibilityOf(ctx), filter, paging);
  }

  /** `service`: what another service lists as its own; all else is not there (contract 0.4). */
  async get(ctx: RequestContext, id: string, service?: string): Promise<Permission> {
    const permission = isUuid(id) ? await this.permissions.findVisible(visibilityOf(ctx), id) : undefined;
    if (permission === undefined || (service !== undefined && !isListedBy(service, permission))) throw notFound('permission', id);
    return permission;
  }

  async remove(ctx: RequestContext, id: string, service?: string, keep?: KeepAnswer<void>): Promise<void> {
    const permission = await this.get(ctx, id, service);
    const irn = parseIrn(permission.irn);
    if (service !== undefined && irn.service !== service) throw forbidden(`A grant on ${permission.irn} is taken back through passportsvc`);
    if (!ctx.access.canShare([], irn, permission.namespace)) throw forbidden('Taking a permission back needs SHARE on its resource, which an owner of its namespace can grant');
    await this.feed.commit(async (tx) => {
      if (await this.permissions.remove(tx, id)) await this.audit.record(tx, ctx, grantFact('REVOKE', permission));
      return { result: undefined, keys: [keyOf({ type: permission.principalType, id: permission.principalId })] };
    }, keep);
  }

  /** Entries that together would take a namespace's last owner are refused; the rest are granted, as if those had not been sent. */
  private async grantUnlessLast(ctx: RequestContext, wanted: readonly WantedPermission[], failures: readonly PermissionFailure[], keep?: KeepAnswer<PermissionsResult>): Promise<PermissionsResult> {
    const withFailures = (success: readonly Permission[]): PermissionsResult => ({ success, failures });
    try {
      return withFailures(await this.grantAll(ctx, wanted.map(({ draft }) => draft), keep && ((tx, granted) => keep(tx, withFailures(granted)))));
    } catch (error) {
      if (!(error instanceof LastOwnerError)) throw error;
      const isRefused = ({ draft }: WantedPermission) => couldTakeOwner(draft) && error.namespaces.includes(draft.namespace);
      if (!wanted.some(isRefused)) throw error;
      const refused = wanted.filter(isRefused).map(({ entry }) => ({ entry, reason: `${error.code}: ${error.message}` }));
      return this.grantUnlessLast(ctx, wanted.filter((one) => !isRefused(one)), [...failures, ...refused], keep);
    }
  }

  private grantAll(ctx: RequestContext, drafts: readonly PermissionDraft[], keep?: KeepAnswer<Permission[]>): Promise<Permission[]> {
    return this.feed.commit(async (tx) => {
      const granted = new Map<PermissionDraft, Permission>();
      for (const draft of inLockOrder(drafts)) granted.set(draft, await this.permissions.grant(tx, draft));
      const result = drafts.map((draft) => granted.get(draft) as Permission);
      await this.audit.record(tx, ctx, ...result.map((permission) => grantFact('GRANT', permission)));
      return { result, keys: drafts.map(({ user }) => keyOf(user)) };
    }, keep);
  }

  private async check(ctx: RequestContext, draft: PermissionDraft, service: string | undefined): Promise<PermissionDraft> {
    const irn = parseIrn(draft.irn);
    if (service !== undefined && irn.service !== service) throw forbidden(`_resourceDesc._irn must be of ${service}`);
    if (!ctx.access.canShare(draft.actions, irn, draft.namespace)) throw notShareable(draft);
    await this.principals.require(draft.user);
    return draft;
  }
}

/** Its own types, and what holds for all types of all services. */
const isListedBy = (service: string, { irn }: Permission) => irn === ALL_RESOURCES || parseIrn(irn).service === service;

/** Two calls that grant the same permissions in another order must not wait for each other in a circle. */
const inLockOrder = (drafts: readonly PermissionDraft[]) => {
  const nameOf = (draft: PermissionDraft) => JSON.stringify([draft.namespace, draft.user.type, draft.user.id, draft.irn, draft.criteria, draft.subresource]);
  const named = drafts.map((draft) => ({ draft, name: nameOf(draft) }));
  // Of two with one name the later one in the request is the one that stays, as sorting keeps their order.
  return named.sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name)).map(({ draft }) => draft);
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
