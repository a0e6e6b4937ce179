import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A program that signs in as itself (client credentials, contract 1.3). */
@Entity('oauth_client')
export class ClientEntity extends AuthoredEntity {
  /** `client_id` */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  name: string;

  @Column('text', { name: 'org_id', nullable: true })
  orgId: string | null;

  /** The most that its tokens can ask for. */
  @Column('text', { array: true })
  scopes: string[];

  /** Trusted clients may download secrets. */
  @Column('boolean')
  trusted: boolean;

  @Column('text', { name: 'secret_hash' })
  secretHash: string;
}
