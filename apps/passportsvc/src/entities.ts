import { AppEntity } from './apps/app.entity';
import { ClientEntity } from './clients/client.entity';
import { IdentityProviderEntity } from './identityproviders/identity-provider.entity';
import { InviteEntity } from './invites/invite.entity';
import { NamespaceEntity } from './namespaces/namespace.entity';
import { NotificationTemplateEntity } from './notificationtemplates/notification-template.entity';
import { OrganizationEntity } from './organizations/organization.entity';
import { PermissionProfileEntity } from './permissionprofiles/permission-profile.entity';
import { Permission } from './permissions/permission.entity';
import { SecretEntity } from './secrets/secret.entity';
import { SigningKeyEntity } from './signing-keys/signing-key.entity';
import { UserGroupMemberEntity } from './usergroups/usergroup-member.entity';
import { UserGroupEntity } from './usergroups/usergroup.entity';
import { UserEntity } from './users/user.entity';
import { WorkspaceEntity } from './workspaces/workspace.entity';

/** Every table of passportsvc that TypeORM maps. */
export const entities = [
  SigningKeyEntity,
  ClientEntity,
  UserEntity,
  AppEntity,
  IdentityProviderEntity,
  InviteEntity,
  NamespaceEntity,
  NotificationTemplateEntity,
  OrganizationEntity,
  Permission,
  PermissionProfileEntity,
  SecretEntity,
  UserGroupEntity,
  UserGroupMemberEntity,
  WorkspaceEntity,
];
