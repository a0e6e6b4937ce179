import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const INVITE_STATUSES = ['PENDING', 'ACCEPTED', 'REJECTED', 'CANCELLED', 'EXPIRED'] as const;
export type InviteStatus = (typeof INVITE_STATUSES)[number];

/** Values of the mail's template; those that the platform adds are in it (specification 1, invites). */
export type InviteParams = Readonly<Record<string, unknown>>;

/** Somebody with this address may join the group, until it is over. */
@Entity('invite')
export class InviteEntity extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'group_id' })
  groupId: string;

  /** Lower-case. */
  @Column('text')
  email: string;

  /** The application whose token invited, and whose templates the mails follow. */
  @Column('text', { name: 'app_id' })
  appId: string;

  @Column('jsonb')
  params: InviteParams;

  @Column('text')
  status: InviteStatus;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;

  /** When a reminder is due; none once it was sent. */
  @Column('timestamptz', { name: 'remind_at', nullable: true })
  remindAt: Date | null;

  /** Order of creation; the database alone writes it, and only queries read it. */
  @Column({ type: 'bigint', select: false, insert: false, update: false })
  readonly position?: string;
}
