import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { SigningKeyEntity } from './signing-key.entity';

/** Any number of our own: replicas that start together make one set of keys. */
const FIRST_START_LOCK = 727_010;

@Injectable()
export class SigningKeysRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  async list(): Promise<SigningKeyEntity[]> {
    return this.dataSource.getRepository(SigningKeyEntity).find({ order: { signsFrom: 'DESC', id: 'ASC' } });
  }

  async lockFirstStart(tx: TypeOrmTx): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [FIRST_START_LOCK]);
  }

  async isEmpty(tx: TypeOrmTx): Promise<boolean> {
    return (await tx.manager.count(SigningKeyEntity)) === 0;
  }

  async insert(tx: TypeOrmTx, key: SigningKeyEntity): Promise<void> {
    await tx.manager.insert(SigningKeyEntity, key);
  }

  async deleteSignedUntil(tx: TypeOrmTx, before: Date): Promise<void> {
    await tx.query(
      `DELETE FROM signing_key k WHERE EXISTS (
         SELECT FROM signing_key newer WHERE newer.purpose = k.purpose AND newer.signs_from > k.signs_from AND newer.signs_from < $1)`,
      [before],
    );
  }
}
