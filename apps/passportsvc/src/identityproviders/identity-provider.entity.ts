import { mailboxOf } from '@twinyard/conventions';
import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An OpenID Connect issuer that an organization's people sign in at (contract 1.1). */
@Entity('identity_provider')
export class IdentityProviderEntity extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'org_id' })
  orgId: string;

  /** Who signs in through it for the first time joins this group of the organization; none once it was deleted. */
  @Column('uuid', { name: 'group_id', nullable: true })
  groupId: string | null;

  @Column('text')
  name: string;

  /** As it was given: tokens name it letter by letter. */
  @Column('text')
  issuer: string;

  @Column('text', { name: 'client_id' })
  clientId: string;

  /** Sealed by `ProviderSecrets`; none for a public client. */
  @Column('text', { name: 'sealed_secret', nullable: true })
  sealedSecret: string | null;

  @Column('text', { array: true })
  scopes: string[];

  /** As `hostNameOf` has them. When there are any, only addresses of these domains are taken from it. */
  @Column('text', { array: true })
  domains: string[];

  /** Whether it makes accounts for people that have none. */
  @Column('boolean')
  provision: boolean;

  /** Whether it may speak for addresses: only a platform manager says so. */
  @Column('boolean')
  trusted: boolean;

  /** Order of creation; the database alone writes it, and only queries read it. */
  @Column({ type: 'bigint', select: false, insert: false, update: false })
  readonly position?: string;
}

/** Whether `email` is of a domain that the provider is for. */
export function coversAddress({ domains }: Pick<IdentityProviderEntity, 'domains'>, email: string): boolean {
  return domains.length === 0 || domains.includes(domainOf(email));
}

/** The host of an address as `mailboxOf` has it; of what is none, what stands behind the last `@`. */
export const domainOf = (email: string): string => {
  const address = mailboxOf(email) ?? email.trim().toLowerCase();
  return address.slice(address.lastIndexOf('@') + 1);
};
