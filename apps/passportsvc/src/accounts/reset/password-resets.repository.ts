import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';

const SWEEP_BATCH = 100;

/** Links to set a new password, each by the hash of its token. */
@Injectable()
export class PasswordResetsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(tx: TypeOrmTx, tokenHash: string, userId: string, seconds: number): Promise<void> {
    await tx.query(`INSERT INTO password_reset (token_hash, user_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 second')`, [tokenHash, userId, seconds]);
  }

  async findUserId(tokenHash: string): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ user_id: string }[]>('SELECT user_id FROM password_reset WHERE token_hash = $1 AND expires_at > now()', [tokenHash]);
    return row?.user_id;
  }

  /** Uses the link up, and with it all others of its user: of two at once only one gets true. */
  async take(tx: TypeOrmTx, tokenHash: string, userId: string): Promise<boolean> {
    const taken = await tx.query('DELETE FROM password_reset WHERE token_hash = $1 AND user_id = $2 AND expires_at > now() RETURNING user_id', [tokenHash, userId]);
    if (taken.length === 0) return false;
    await this.removeAllOf(tx, userId);
    return true;
  }

  async removeAllOf(tx: TypeOrmTx, userId: string): Promise<void> {
    await tx.query('DELETE FROM password_reset WHERE user_id = $1', [userId]);
  }

  async sweep(tx: TypeOrmTx): Promise<void> {
    await tx.query(`DELETE FROM password_reset WHERE token_hash IN (SELECT token_hash FROM password_reset WHERE expires_at < now() LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED)`);
  }
}
