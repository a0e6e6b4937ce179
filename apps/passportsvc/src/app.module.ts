import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule, FairShareModule, LaterWorkModule, RepeatsModule } from '@twinyard/auth';
import { eventBusOptions, EventsModule, NamespacePurgeModule } from '@twinyard/events';
import { JobsModule } from '@twinyard/jobs';
import { SqlModule } from '@twinyard/service-kit';
import { AccessKeysModule } from './accesskeys/access-keys.module';
import { AccountsModule } from './accounts/accounts.module';
import { AggregatesModule } from './aggregates/aggregates.module';
import { AppsModule } from './apps/apps.module';
import { AuditModule } from './audit/audit.module';
import { AuthSourcesModule } from './auth-sources.module';
import { ClientsModule } from './clients/clients.module';
import type { PassportSettings } from './config';
import { EncryptionModule } from './encryption/encryption.module';
import { entities } from './entities';
import { BootstrapClient, FirstStart } from './first-start';
import { GrantFeedModule } from './grant-feed/grant-feed.module';
import { IdentityProvidersModule } from './identityproviders/identity-providers.module';
import { InternalModule } from './internal/internal.module';
import { migrations } from './migrations';
import { InvitesModule } from './invites/invites.module';
import { MailsModule } from './mails/mails.module';
import { NamespacesModule } from './namespaces/namespaces.module';
import { NotificationTemplatesModule } from './notificationtemplates/notification-templates.module';
import { OauthModule } from './oauth/oauth.module';
import { OrganizationsModule } from './organizations/organizations.module';
import { OwnershipModule } from './ownership/ownership.module';
import { PagesModule } from './pages/pages.module';
import { PermissionProfilesModule } from './permissionprofiles/permission-profiles.module';
import { PermissionsModule } from './permissions/permissions.module';
import { ScimModule } from './scim/scim.module';
import { SecretsModule } from './secrets/secrets.module';
import { PurgeModule } from './purge/purge.module';
import { SessionsModule } from './sessions/sessions.module';
import { SettingsModule } from './settings.module';
import { SigningKeysModule } from './signing-keys/signing-keys.module';
import { UserGroupsModule } from './usergroups/usergroups.module';
import { UsersModule } from './users/users.module';
import { WorkspacesModule } from './workspaces/workspaces.module';

const TENANCY = [NamespacesModule, AppsModule, OrganizationsModule, UserGroupsModule, WorkspacesModule, PermissionsModule];
/** For what takes no place: sign-ins, tokens, the other services, events, jobs and sweeps. */
const OWN_CONNECTIONS = 5;

@Module({})
export class AppModule {
  static register(settings: PassportSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SqlModule.forRoot({ url: settings.DATABASE_URL, answerBytes: settings.ANSWER_MAX_BYTES, entities, migrations, poolSize: settings.REQUEST_PLACES + OWN_CONNECTIONS }),
        SettingsModule.of(settings),
        JobsModule.forRoot(settings),
        EncryptionModule,
        EventsModule.forRoot({ service: 'passportsvc', bus: eventBusOptions(settings) }),
        NamespacePurgeModule.forRoot('passportsvc', settings),
        PurgeModule,
        OwnershipModule,
        GrantFeedModule,
        AuditModule,
        SigningKeysModule,
        SessionsModule,
        UsersModule,
        ...TENANCY,
        LaterWorkModule.forService('passportsvc', settings),
        PermissionProfilesModule,
        SecretsModule,
        MailsModule.forRoot(settings),
        NotificationTemplatesModule,
        InvitesModule,
        AuthModule.forPassport(AuthSourcesModule.register(), settings),
        FairShareModule.forRequests(settings),
        RepeatsModule,
        OauthModule,
        PagesModule,
        AccessKeysModule,
        AccountsModule,
        ClientsModule,
        ScimModule,
        IdentityProvidersModule,
        InternalModule,
        AggregatesModule,
      ],
      providers: [BootstrapClient, FirstStart],
    };
  }
}
