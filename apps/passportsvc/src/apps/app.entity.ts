import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const RESPONSE_MODES = ['both', 'fragment', 'query'] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** Limits by their configuration key; `null`: no configuration. */
export type LimitValues = Readonly<Record<string, number>>;

@Entity('app')
export class AppEntity extends AuthoredEntity {
  /** Also the OAuth `client_id`. A UUID, or `console`. */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  name: string;

  @Column('text', { name: 'short_name' })
  shortName: string;

  @Column('text')
  description: string;

  @Column('text', { name: 'user_type', nullable: true })
  userType: string | null;

  /** None for the console alone. */
  @Column('uuid', { name: 'org_id', nullable: true })
  orgId: string | null;

  /** None for the console, and until an unknown `_appOwner` has signed up. */
  @Column('uuid', { name: 'owner_id', nullable: true })
  ownerId: string | null;

  /** Who becomes the owner when somebody signs up with this verified address. */
  @Column('text', { name: 'pending_owner_email', nullable: true })
  pendingOwnerEmail: string | null;

  @Column('uuid', { name: 'admin_group_id', nullable: true })
  adminGroupId: string | null;

  @Column('text')
  namespace: string;

  @Column('text', { name: 'redirect_uris', array: true })
  redirectUris: string[];

  /** Compared exactly, unlike redirect URIs. */
  @Column('text', { name: 'post_logout_redirect_uris', array: true })
  postLogoutRedirectUris: string[];

  @Column('text', { name: 'authorized_origins', array: true })
  authorizedOrigins: string[];

  @Column('text', { name: 'authorized_grant_types', array: true })
  authorizedGrantTypes: string[];

  @Column('text', { name: 'response_mode' })
  responseMode: ResponseMode;

  /** Keyed hash of `ClientSecrets`; none for a public client. */
  @Column('text', { name: 'client_secret_hash', nullable: true })
  clientSecretHash: string | null;

  /** Ids of the applications whose tokens may be exchanged for its own. */
  @Column('text', { name: 'whitelisted_apps', array: true })
  whitelistedApps: string[];

  /** Users are not asked for their consent. */
  @Column('boolean', { name: 'first_party' })
  firstParty: boolean;

  @Column('text', { nullable: true })
  home: string | null;

  @Column('text', { name: 'login_theme', nullable: true })
  loginTheme: string | null;

  @Column('jsonb', { nullable: true })
  configuration: LimitValues | null;

  /** Order of creation; the database alone writes it, and only queries read it. */
  @Column({ type: 'bigint', select: false, insert: false, update: false })
  readonly position?: string;
}
