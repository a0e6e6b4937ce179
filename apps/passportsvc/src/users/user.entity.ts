import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('app_user')
export class UserEntity extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id: string;

  /** As `mailboxOf` has it, so that one mailbox is one account; of rows from before, where that one is taken, as it was. */
  @Column('text')
  email: string;

  /** As SCIM wrote it; whoever has none is known by the address. Unique without regard to case. */
  @Column('text', { name: 'user_name', nullable: true })
  userName: string | null;

  /** argon2id; absent for users who sign in through another identity provider. */
  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash: string | null;

  @Column('text')
  firstname: string;

  @Column('text')
  lastname: string;

  @Column('text', { nullable: true })
  locale: string | null;

  @Column('boolean')
  disabled: boolean;

  @Column('boolean', { name: 'platform_manager' })
  platformManager: boolean;

  @Column('boolean', { name: 'email_verified' })
  emailVerified: boolean;
}

/** First and last name, or the address of somebody who gave neither. */
export const displayNameOf = ({ firstname, lastname, email }: Pick<UserEntity, 'firstname' | 'lastname' | 'email'>): string =>
  `${firstname} ${lastname}`.trim() || email;

export type NewUser = Pick<UserEntity, 'id' | 'email' | 'passwordHash' | 'createdById'> & Partial<UserEntity>;

export function newUser(draft: NewUser): UserEntity {
  const now = new Date();
  return {
    userName: null, firstname: '', lastname: '', locale: null, disabled: false, platformManager: false, emailVerified: false,
    createdAt: now, updatedAt: now, updatedById: draft.createdById, ...draft,
  };
}
