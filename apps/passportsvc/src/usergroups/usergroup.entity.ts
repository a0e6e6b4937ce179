import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('usergroup')
export class UserGroupEntity extends AuthoredEntity {
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

  /** Namespace of the application or organization that it was made in: whoever manages groups there manages this one. */
  @Column('text', { name: 'parent_namespace' })
  parentNamespace: string;

  /** None for a group of an organization. */
  @Column('text', { name: 'app_id', nullable: true })
  appId: string | null;

  @Column('uuid', { name: 'org_id', nullable: true })
  orgId: string | null;

  /** The admin group that was made with its organization or application; it does not count towards limits. */
  @Column('boolean', { name: 'is_default' })
  isDefault: boolean;

  /** Order of creation; the database alone writes it, and only queries read it. */
  @Column({ type: 'bigint', select: false, insert: false, update: false })
  readonly position?: string;
}
