import { Injectable } from '@nestjs/common';
import type { InvalidationKey } from '@twinyard/auth';
import { type Authored, newNamespace, newUuid, notFound } from '@twinyard/conventions';
import { type EventOrigin, Outbox, resourceCreated, resourceDeleted } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { Parent } from '../namespaces/parent';
import { Namespaces } from '../namespaces/namespaces.service';
import { PermissionsRepository, type PrincipalRef } from '../permissions/permissions.repository';
import { PurgesRepository } from '../purge/purges.repository';
import { UserGroupMembersRepository } from './usergroup-members.repository';
import type { UserGroupEntity } from './usergroup.entity';
import { toGroupEvent, toMemberEvent } from './usergroups.events';
import { UserGroupsRepository } from './usergroups.repository';

export interface NewGroup {
  readonly group: UserGroupEntity;
  /** Hold everything in the group's namespace. */
  readonly owners: readonly PrincipalRef[];
  readonly memberIds: readonly string[];
}

/** The admin group that comes with an organization or an application. */
export const adminGroup = (parent: Parent, userType: string, authored: Authored): UserGroupEntity => ({
  id: newUuid(), name: 'Administrators', shortName: 'admins', description: '', userType, userAttributes: {},
  namespace: newNamespace('admins'), parentNamespace: parent.namespace, appId: parent.appId, orgId: parent.orgId, isDefault: true, ...authored,
});

/** Making and removing groups, with their namespaces, grants, members and events, for all that have groups. */
@Injectable()
export class GroupLifecycle {
  constructor(
    private readonly groups: UserGroupsRepository,
    private readonly members: UserGroupMembersRepository,
    private readonly namespaces: Namespaces,
    private readonly permissions: PermissionsRepository,
    private readonly outbox: Outbox,
    private readonly purges: PurgesRepository,
  ) {}

  async make(tx: TypeOrmTx, { group, owners, memberIds }: NewGroup, origin: EventOrigin): Promise<InvalidationKey[]> {
    const { id, appId, orgId, namespace, createdById } = group;
    await this.groups.insert(tx, group);
    const keys = await this.namespaces.found(tx, { name: namespace, kind: 'usergroup', ownerId: id, appId, orgId, hidden: false }, owners, createdById);
    await this.outbox.append(tx, resourceCreated('passportsvc.UserGroup', toGroupEvent(group), origin));
    return [...keys, ...(await this.addMembers(tx, group, memberIds, origin))];
  }

  async addMembers(tx: TypeOrmTx, group: UserGroupEntity, userIds: readonly string[], origin: EventOrigin): Promise<InvalidationKey[]> {
    if (!(await this.groups.hold(tx, group.id))) throw notFound('user group', group.id);
    const added = await this.members.add(tx, group.id, userIds, origin.userId);
    await this.outbox.append(tx, ...added.map((userId) => resourceCreated('passportsvc.UserGroupMember', toMemberEvent(group, userId), origin)));
    return added.map((userId) => `user:${userId}`);
  }

  /** The owner of what an admin group came with joins it, and owns it too. */
  async enter(tx: TypeOrmTx, groupId: string, origin: EventOrigin): Promise<InvalidationKey[]> {
    const group = await this.groups.find(groupId);
    if (group === undefined) return [];
    const keys = await this.namespaces.giveAll(tx, group.namespace, [{ type: 'user', id: origin.userId }], origin.userId);
    return [...keys, ...(await this.addMembers(tx, group, [origin.userId], origin))];
  }

  async removeMembers(tx: TypeOrmTx, group: UserGroupEntity, userIds: readonly string[], origin: EventOrigin): Promise<InvalidationKey[]> {
    const removed = await this.members.remove(tx, group.id, userIds);
    await this.outbox.append(tx, ...removed.map((userId) => resourceDeleted('passportsvc.UserGroupMember', toMemberEvent(group, userId), origin)));
    return removed.map((userId) => `user:${userId}`);
  }

  /** With `purge`, what lies in its namespace goes too, in every service. */
  async remove(tx: TypeOrmTx, group: UserGroupEntity, origin: EventOrigin, purge = false): Promise<InvalidationKey[]> {
    if (!(await this.groups.remove(tx, group.id))) return [];
    const fields = { ...toGroupEvent(group), ...(purge && { _purge: true }) };
    const keys = await this.namespaces.remove(tx, group.namespace);
    await this.permissions.removeAllFor(tx, { type: 'usergroup', id: group.id });
    if (purge) await this.purges.begin(tx, { namespace: group.namespace, irn: fields._irn, parentNamespace: group.parentNamespace, askedById: origin.userId, requestId: origin.requestId });
    await this.outbox.append(tx, resourceDeleted('passportsvc.UserGroup', fields, origin));
    return [...keys, `usergroup:${group.id}`];
  }

  /** All groups of an application or organization that goes. */
  async removeIn(tx: TypeOrmTx, parentNamespace: string, origin: EventOrigin): Promise<InvalidationKey[]> {
    const keys: InvalidationKey[] = [];
    for (const group of await this.groups.listIn(tx, parentNamespace)) keys.push(...(await this.remove(tx, group, origin)));
    return keys;
  }
}
