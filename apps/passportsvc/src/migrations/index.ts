import { DataKeysTable1700000000640 } from '@twinyard/envelope';
import { EventsTables1700000000000, NamespacePurges1700000000020 } from '@twinyard/events';
import { DurableRequestBytes1700000000050, DurableRequestProgress1700000000040, DurableRequestsTable1700000000010, JOBS_MIGRATIONS } from '@twinyard/jobs';
import { KeptAnswersTable1700000000030 } from '@twinyard/service-kit';
import { CreateUsers1700000000101 } from './1700000000101-CreateUsers';
import { CreateSigningKeys1700000000102 } from './1700000000102-CreateSigningKeys';
import { CreateOidcState1700000000103 } from './1700000000103-CreateOidcState';
import { CreateClients1700000000104 } from './1700000000104-CreateClients';
import { CreateTenancy1700000000201 } from './1700000000201-CreateTenancy';
import { CreatePermissions1700000000301 } from './1700000000301-CreatePermissions';
import { CreatePermissionProfiles1700000000401 } from './1700000000401-CreatePermissionProfiles';
import { CreateMails1700000000402 } from './1700000000402-CreateMails';
import { CreateNotificationTemplates1700000000403 } from './1700000000403-CreateNotificationTemplates';
import { CreateInvites1700000000404 } from './1700000000404-CreateInvites';
import { CreateAccessKeys1700000000405 } from './1700000000405-CreateAccessKeys';
import { KeepClientSecretKey1700000000501 } from './1700000000501-KeepClientSecretKey';
import { CreateIdentityProviders1700000000620 } from './1700000000620-CreateIdentityProviders';
import { CreatePasswordResets1700000000610 } from './1700000000610-CreatePasswordResets';
import { QueueResetRequests1700000000611 } from './1700000000611-QueueResetRequests';
import { ProvisionUsers1700000000630 } from './1700000000630-ProvisionUsers';
import { CreateSecrets1700000000641 } from './1700000000641-CreateSecrets';
import { CreateAuditLog1700000000650 } from './1700000000650-CreateAuditLog';
import { CreatePurges1700000000660 } from './1700000000660-CreatePurges';
import { IndexUserTypes1700000000670 } from './1700000000670-IndexUserTypes';
import { RegisterPostLogoutUris1700000000680 } from './1700000000680-RegisterPostLogoutUris';
import { OneMailboxOneAccount1700000000690 } from './1700000000690-OneMailboxOneAccount';
import { IndexOwners1700000000691 } from './1700000000691-IndexOwners';
import { OneInvitePerAddress1700000000692 } from './1700000000692-OneInvitePerAddress';
import { LimitAccessKeys1700000000695 } from './1700000000695-LimitAccessKeys';
import { CountAttempts1700000000696 } from './1700000000696-CountAttempts';
import { CountByTheDay1700000000697 } from './1700000000697-CountByTheDay';

/** Every migration of passportsvc; TypeORM runs them by their number. */
export const migrations = [
  EventsTables1700000000000,
  NamespacePurges1700000000020,
  CreateUsers1700000000101,
  CreateSigningKeys1700000000102,
  CreateOidcState1700000000103,
  CreateClients1700000000104,
  CreateTenancy1700000000201,
  CreatePermissions1700000000301,
  DurableRequestsTable1700000000010,
  DurableRequestProgress1700000000040,
  DurableRequestBytes1700000000050,
  KeptAnswersTable1700000000030,
  ...JOBS_MIGRATIONS,
  CreatePermissionProfiles1700000000401,
  CreateMails1700000000402,
  CreateNotificationTemplates1700000000403,
  CreateInvites1700000000404,
  CreateAccessKeys1700000000405,
  KeepClientSecretKey1700000000501,
  CreateIdentityProviders1700000000620,
  CreatePasswordResets1700000000610,
  QueueResetRequests1700000000611,
  ProvisionUsers1700000000630,
  DataKeysTable1700000000640,
  CreateSecrets1700000000641,
  CreateAuditLog1700000000650,
  CreatePurges1700000000660,
  IndexUserTypes1700000000670,
  RegisterPostLogoutUris1700000000680,
  OneMailboxOneAccount1700000000690,
  IndexOwners1700000000691,
  OneInvitePerAddress1700000000692,
  LimitAccessKeys1700000000695,
  CountAttempts1700000000696,
  CountByTheDay1700000000697,
];
