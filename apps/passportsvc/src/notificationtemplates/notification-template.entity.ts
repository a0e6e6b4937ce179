import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const TEMPLATE_NAMES = ['USER_GROUP_INVITE', 'USER_GROUP_INVITE_REMINDER'] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** One of each name and locale in an application. */
@Entity('notification_template')
export class NotificationTemplateEntity extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { name: 'app_id' })
  appId: string;

  @Column('text')
  name: TemplateName;

  /** Subject line, with `${variable}`. */
  @Column('text')
  title: string;

  @Column('text')
  message: string;

  /** BCP 47, lower-case. */
  @Column('text')
  locale: string;

  @Column('text')
  format: string;

  /** Order of creation; the database alone writes it, and only queries read it. */
  @Column({ type: 'bigint', select: false, insert: false, update: false })
  readonly position?: string;
}
