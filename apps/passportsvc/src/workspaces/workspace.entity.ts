import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('workspace')
export class WorkspaceEntity extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  @Column('text', { name: 'short_name' })
  shortName: string;

  @Column('text')
  description: string;

  @Column('text', { name: 'user_type', nullable: true })
  userType: string | null;

  @Column('jsonb', { name: 'user_attributes' })
  userAttributes: object;

  @Column('text')
  namespace: string;

  /** Namespace of the application or organization that it was made in. */
  @Column('text', { name: 'parent_namespace' })
  parentNamespace: string;

  /** None for a workspace of an organization. */
  @Column('text', { name: 'app_id', nullable: true })
  appId: string | null;

  @Column('uuid', { name: 'org_id', nullable: true })
  orgId: string | null;

  @Column('boolean')
  hidden: boolean;

  /** When its removal for good was asked for. */
  @Column('timestamptz', { name: 'purge_requested_at', nullable: true })
  purgeRequestedAt: Date | null;

  /** Order of creation; the database alone writes it, and only queries read it. */
  @Column({ type: 'bigint', select: false, insert: false, update: false })
  readonly position?: string;
}
