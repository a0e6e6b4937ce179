import { contract, flag, text } from '../contract';

const topic = 'passportsvc.usergroup';

export const passportsvc = {
  'passportsvc.Organization': contract({ topic: 'passportsvc.organization', about: 'an organization was made, changed or deleted', fields: { _status: text.optional() } }),
  'passportsvc.Application': contract({
    topic: 'passportsvc.application',
    about: 'an application was made, changed or deleted; `_namespaces` holds its own namespace',
    fields: { _organizationId: text.optional() },
  }),
  'passportsvc.Workspace': contract({
    topic: 'passportsvc.workspace',
    about: 'a project workspace was made, changed or deleted; `_purge`: everything in its namespace is to be removed in every service',
    fields: { _applicationId: text.optional(), _applicationNamespace: text.optional(), _type: text.optional(), _purge: flag.optional() },
  }),
  'passportsvc.UserGroup': contract({
    topic,
    about: 'a user group was made, changed or deleted; `_default`: one that the platform made and that does not count towards limits; `_purge`: everything in its namespace is to be removed in every service',
    fields: { _applicationNamespace: text.optional(), _default: flag.optional(), _purge: flag.optional() },
  }),
  'passportsvc.UserGroupMember': contract({ topic, key: '_usergroupId', about: 'a user joined or left a group', fields: { _usergroupId: text, _userId: text } }),
  'passportsvc.Invite': contract({
    topic: 'passportsvc.invite',
    about: 'an invite was sent, answered or withdrawn',
    fields: { _email: text, _status: text, _usergroup: text.nullable() },
  }),
  'passportsvc.User': contract({ topic: 'passportsvc.user', about: 'a user was made, changed, disabled or deleted', fields: { _email: text.optional(), _status: text.optional() } }),
  'passportsvc.PermissionProfile': contract({ topic: 'passportsvc.permissionprofile', about: 'a permission profile was made, changed or deleted' }),
  'passportsvc.Secret': contract({ topic: 'passportsvc.secret', about: 'a secret was made, changed or deleted; nothing of its value' }),
};
