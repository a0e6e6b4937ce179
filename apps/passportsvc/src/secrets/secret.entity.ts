import type { Target } from '@twinyard/auth';
import { formatIrn } from '@twinyard/conventions';
import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A text that is kept for programs: sealed under the data key of its first namespace. */
@Entity('secret')
export class SecretEntity extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  @Column('text')
  description: string;

  @Column('text', { name: 'user_type', nullable: true })
  userType: string | null;

  @Column('text', { array: true })
  namespaces: string[];

  /** Ciphertext, which may be shown. */
  @Column('text')
  sealed: string;

  /** The key that the ciphertext names: no key is removed while a row points at it. */
  @Column('text', { name: 'data_key_id' })
  dataKeyId: string;

  /** Counts what callers change; a rotation of keys is none of that. */
  @Column('integer')
  revision: number;

  /** Order of creation; the database alone writes it, and only queries read it. */
  @Column({ type: 'bigint', select: false, insert: false, update: false })
  readonly position?: string;
}

export const SECRET_TYPE = 'passportsvc:secret';

export const secretTarget = (namespaces: readonly string[], id = '*'): Target => ({ type: SECRET_TYPE, id, namespaces });

export const secretIrn = (id: string): string => formatIrn('passportsvc', 'secret', id);
