import { formatIrn } from '@twinyard/conventions';
import type { ResourceFields } from '@twinyard/events';
import type { PermissionProfileEntity } from './permission-profile.entity';

export const toProfileEvent = ({ id, name, userType, namespaces }: PermissionProfileEntity): ResourceFields<'passportsvc.PermissionProfile'> => ({
  _id: id,
  _irn: formatIrn('passportsvc', 'permission_profile', id),
  _name: name,
  _userType: userType,
  _namespaces: namespaces,
});
