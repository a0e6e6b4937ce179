import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { SigningKeyEntity } from './signing-key.entity';

/** Any number of our own: replicas that start together make one set of keys. */
const KEYS_LOCK = 727_010;

@Injectable()
export class SigningKeysRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  async list(): Promise<SigningKeyEntity[]> {
    return this.dataSource.getRepository(SigningKeyEntity).find({ order: { signsFrom: 'DESC', id: 'ASC' } });
  }

  async lock(tx: TypeOrmTx): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [KEYS_LOCK]);
  }

  async read(tx: TypeOrmTx): Promise<SigningKeyEntity[]> {
    return tx.manager.find(SigningKeyEntity, { order: { signsFrom: 'DESC', id: 'ASC' } });
  }

  async insert(tx: TypeOrmTx, key: SigningKeyEntity): Promise<void> {
    await tx.manager.insert(SigningKeyEntity, key);
  }

  async replaceSealed(tx: TypeOrmTx, id: string, sealed: string): Promise<void> {
    await tx.manager.update(SigningKeyEntity, { id }, { sealed });
  }

  /** Removes keys that others have signed in the place of since before `before`. */
  async removeReplaced(tx: TypeOrmTx, purpose: 'token' | 'cookie', before: Date): Promise<void> {
    await tx.query(
      `DELETE FROM signing_key k WHERE purpose = $1 AND EXISTS (
         SELECT FROM signing_key newer WHERE newer.purpose = k.purpose AND newer.signs_from > k.signs_from AND newer.signs_from < $2)`,
      [purpose, before],
    );
  }

  /** False when nothing else signs in its place. */
  async removeUnlessSigning(tx: TypeOrmTx, id: string, now: Date): Promise<boolean> {
    const rows = await tx.query(
      `DELETE FROM signing_key k WHERE id = $1 AND purpose <> 'client-secret' AND (signs_from > $2 OR EXISTS (
         SELECT FROM signing_key newer WHERE newer.purpose = k.purpose AND newer.signs_from > k.signs_from AND newer.signs_from <= $2)) RETURNING id`,
      [id, now],
    );
    return rows.length === 1;
  }
}
