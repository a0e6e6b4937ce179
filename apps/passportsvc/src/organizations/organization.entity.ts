import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LimitValues } from '../apps/app.entity';

@Entity('organization')
export class OrganizationEntity extends AuthoredEntity {
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

  @Column('text')
  namespace: string;

  /** None until an unknown `_orgOwner` has signed up. */
  @Column('uuid', { name: 'owner_id', nullable: true })
  ownerId: string | null;

  /** Who becomes the owner when somebody signs up with this verified address. */
  @Column('text', { name: 'pending_owner_email', nullable: true })
  pendingOwnerEmail: string | null;

  @Column('uuid', { name: 'admin_group_id' })
  adminGroupId: string;

  @Column('jsonb', { nullable: true })
  configuration: LimitValues | null;

  /** Order of creation; the database alone writes it, and only queries read it. */
  @Column({ type: 'bigint', select: false, insert: false, update: false })
  readonly position?: string;
}
