import { formatIrn } from '@twinyard/conventions';
import type { ResourceFields } from '@twinyard/events';
import type { UserGroupEntity } from '../usergroups/usergroup.entity';
import type { InviteEntity } from './invite.entity';

export const toInviteEvent = ({ id, email, status }: InviteEntity, group: Pick<UserGroupEntity, 'id' | 'namespace'>): ResourceFields<'passportsvc.Invite'> => ({
  _id: id,
  _irn: formatIrn('passportsvc', 'invite', id),
  _namespaces: [group.namespace],
  _email: email,
  _status: status,
  _usergroup: group.id,
});
