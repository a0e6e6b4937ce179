import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext, Target } from '@twinyard/auth';
import { type Action, authoredBy, conflict, invalidField, isUuid, newNamespace, newUuid, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { Outbox, resourceUpdated } from '@twinyard/events';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { callerOf } from '../namespaces/caller';
import type { Parent } from '../namespaces/parent';
import { Parents } from '../namespaces/parents.service';
import { GroupLifecycle } from './group-lifecycle';
import type { UserGroupEntity } from './usergroup.entity';
import { toGroupEvent } from './usergroups.events';
import { type GroupFilter, type GroupVisibility, UserGroupsRepository } from './usergroups.repository';

const TYPE = 'passportsvc:usergroup';

export interface GroupChanges {
  readonly name?: string;
  readonly shortName?: string;
  readonly description?: string;
  readonly userType?: string;
  readonly userAttributes?: Record<string, unknown>;
}

export interface GroupDraft extends GroupChanges {
  readonly name: string;
  readonly shortName: string;
  readonly orgId?: string;
}

@Injectable()
export class UserGroupsService {
  constructor(
    private readonly groups: UserGroupsRepository,
    private readonly lifecycle: GroupLifecycle,
    private readonly parents: Parents,
    private readonly feed: GrantFeed,
    private readonly outbox: Outbox,
  ) {}

  async create(ctx: RequestContext, drafts: readonly GroupDraft[], keep?: KeepAnswer<UserGroupEntity[]>): Promise<UserGroupEntity[]> {
    const asked = drafts.length === 0 ? [undefined] : drafts.map(({ orgId }) => orgId);
    const parents = new Map<string | undefined, Parent>();
    for (const orgId of new Set(asked)) parents.set(orgId, await this.parents.of(ctx, orgId, TYPE));
    const made = drafts.map((draft) => toGroup(draft, parents.get(draft.orgId) as Parent, ctx.callerId));
    if (made.length === 0) return [];
    return this.feed.commit(async (tx) => {
      for (const parent of parents.values()) {
        await this.parents.reserve(tx, parent, 'usergroups', made.filter(({ parentNamespace }) => parentNamespace === parent.namespace).length);
      }
      const keys: string[] = [];
      for (const group of made) keys.push(...(await this.lifecycle.make(tx, { group, owners: [callerOf(ctx)], memberIds: [] }, ctx.origin)));
      return { result: made, keys };
    }, keep);
  }

  list(ctx: RequestContext, filter: GroupFilter, includeAll: boolean, paging: Paging): Promise<Slice<UserGroupEntity>> {
    const { memberOf, scope } = visibilityOf(ctx);
    return this.groups.list({ memberOf, scope: includeAll ? scope : undefined }, filter, paging);
  }

  async get(ctx: RequestContext, id: string): Promise<UserGroupEntity> {
    const group = await this.groups.findVisible(visibilityOf(ctx), wellFormed(id));
    if (group === undefined) throw notFound('user group', id);
    return group;
  }

  async update(ctx: RequestContext, id: string, changes: GroupChanges, keep?: KeepAnswer<UserGroupEntity>): Promise<UserGroupEntity> {
    const changed = { ...changes, updatedAt: new Date(), updatedById: ctx.callerId };
    const group = { ...(await this.getEditable(ctx, id)), ...changed };
    return this.feed.commit(async (tx) => {
      if (!(await this.groups.update(tx, group.id, changed))) throw notFound('user group', id);
      await this.outbox.append(tx, resourceUpdated('passportsvc.UserGroup', toGroupEvent(group), ctx.origin));
      return { result: group, keys: [] };
    }, keep);
  }

  async remove(ctx: RequestContext, id: string, purge: boolean, keep?: KeepAnswer<void>): Promise<void> {
    const group = await this.get(ctx, id);
    requireOnGroup(ctx, 'DELETE', group);
    if (group.isDefault) throw conflict('An admin group goes with its organization or application');
    await this.feed.commit(async (tx) => ({ result: undefined, keys: await this.lifecycle.remove(tx, group, ctx.origin, purge) }), keep);
  }

  /** Whoever asks; what the caller may do with it is asked next. */
  async getExisting(id: string): Promise<UserGroupEntity> {
    const group = await this.groups.find(wellFormed(id));
    if (group === undefined) throw notFound('user group', id);
    return group;
  }

  /** Groups that the caller may READ, as against those that it is only a member of. */
  readableIds(ctx: RequestContext): Promise<string[]> {
    return this.groups.idsWithin(ctx.access.scope('READ', TYPE));
  }

  /** Contract 0.2: a group that exists, without the right: 403. */
  async getEditable(ctx: RequestContext, id: string): Promise<UserGroupEntity> {
    const group = await this.getExisting(id);
    requireOnGroup(ctx, 'EDIT', group);
    return group;
  }
}

/**
 * A group is also managed from the namespace that it was made in. Not so an admin group: who joins it owns that namespace, so
 * only an owner of it may let anybody in; else EDIT on groups would be a way to everything.
 */
export const holdsOnGroup = (ctx: RequestContext, action: Action, group: UserGroupEntity): boolean => ctx.access.holds(action, asGroup(ctx, action, group));

/** @throws ServiceError `forbidden` */
export const requireOnGroup = (ctx: RequestContext, action: Action, group: UserGroupEntity): void => ctx.access.require(action, asGroup(ctx, action, group));

function asGroup(ctx: RequestContext, action: Action, group: UserGroupEntity): Target {
  const target: Target = { type: TYPE, id: group.id, namespaces: [group.namespace] };
  if (group.isDefault && action !== 'READ' && !ctx.access.ownsNamespace(group.parentNamespace)) return target;
  return { ...target, namespaces: [group.namespace, group.parentNamespace] };
}

const visibilityOf = (ctx: RequestContext): GroupVisibility => ({ memberOf: ctx.access.groupIds, scope: ctx.access.scope('READ', TYPE) });

function wellFormed(id: string): string {
  if (!isUuid(id)) throw invalidField('id', 'must be a UUID');
  return id;
}

function toGroup({ orgId: _asked, ...draft }: GroupDraft, parent: Parent, callerId: string): UserGroupEntity {
  return {
    description: '', userType: null, userAttributes: {}, ...draft, id: newUuid(), namespace: newNamespace(draft.shortName),
    parentNamespace: parent.namespace, appId: parent.appId, orgId: parent.orgId, isDefault: false, ...authoredBy(callerId),
  };
}
