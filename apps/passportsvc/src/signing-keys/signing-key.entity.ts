import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('signing_key')
export class SigningKeyEntity {
  /** `kid` of tokens; random. */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  purpose: 'token' | 'cookie' | 'client-secret';

  /** The private JWK (tokens) or the secret (cookies, hashes of client secrets), encrypted. */
  @Column('text')
  sealed: string;

  /** A key is published before it signs, so that every service knows it by then. */
  @Column('timestamptz', { name: 'signs_from' })
  signsFrom: Date;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
