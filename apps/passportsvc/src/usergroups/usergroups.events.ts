import { formatIrn } from '@twinyard/conventions';
import type { ResourceFields } from '@twinyard/events';
import type { UserGroupEntity } from './usergroup.entity';

const common = (group: UserGroupEntity) => ({
  _irn: formatIrn('passportsvc', 'usergroup', group.id),
  _name: group.name,
  _namespaces: [group.namespace],
  ...(group.userType !== null && { _userType: group.userType }),
});

export const toGroupEvent = (group: UserGroupEntity): ResourceFields<'passportsvc.UserGroup'> => ({
  ...common(group), _id: group.id, _applicationNamespace: group.parentNamespace, _default: group.isDefault,
});

export const toMemberEvent = (group: UserGroupEntity, userId: string): ResourceFields<'passportsvc.UserGroupMember'> => ({
  ...common(group), _id: `${group.id}:${userId}`, _usergroupId: group.id, _userId: userId,
});
