import type { Target } from '@twinyard/auth';
import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A named set of permissions; the permissions themselves lie with all others, granted to `permprofile`. */
@Entity('permission_profile')
export class PermissionProfileEntity extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  @Column('text', { name: 'user_type' })
  userType: string;

  @Column('text', { array: true })
  namespaces: string[];

  /** Order of creation; the database alone writes it, and only queries read it. */
  @Column({ type: 'bigint', select: false, insert: false, update: false })
  readonly position?: string;
}

export const PROFILE_TYPE = 'passportsvc:permission_profile';

export const profileTarget = (namespaces: readonly string[], id = '*'): Target => ({ type: PROFILE_TYPE, id, namespaces });
