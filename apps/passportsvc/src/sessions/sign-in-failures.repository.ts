import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import type { Failures } from './sign-in-throttle';

/** After this time without a wrong password the count starts anew. */
const FORGOTTEN_AFTER = '15 minutes';
const REMEMBERED = `last_failed_at > now() - interval '${FORGOTTEN_AFTER}'`;

interface FailureRow {
  readonly key: string;
  readonly failures: number;
  readonly seconds_ago: number;
}

/**
 * Wrong passwords by account, known browser and address, for all replicas. There is a row only for what was tried in the last
 * quarter of an hour, and a try costs a hash, so it stays small: some 60 a second at the most.
 */
@Injectable()
export class SignInFailuresRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Holds the keys until the transaction ends: two tries at one account do not both find it free. */
  async hold(tx: TypeOrmTx, keys: readonly string[]): Promise<Failures[]> {
    const sorted = [...keys].sort();
    await tx.query(`INSERT INTO sign_in_failure (key, failures, last_failed_at) SELECT key, 0, now() FROM unnest($1::text[]) key ON CONFLICT (key) DO NOTHING`, [sorted]);
    const rows = await tx.query<FailureRow>(
      `SELECT key, CASE WHEN ${REMEMBERED} THEN failures ELSE 0 END AS failures,
              extract(epoch FROM now() - last_failed_at)::float8 AS seconds_ago
       FROM sign_in_failure WHERE key = ANY($1) ORDER BY key FOR UPDATE`,
      [sorted],
    );
    return rows.map(({ key, failures, seconds_ago: secondsAgo }) => ({ key, failures, secondsAgo }));
  }

  async count(tx: TypeOrmTx, key: string): Promise<void> {
    await tx.query(
      `INSERT INTO sign_in_failure AS f (key, failures, last_failed_at) VALUES ($1, 1, now())
       ON CONFLICT (key) DO UPDATE SET last_failed_at = now(), failures = CASE WHEN f.${REMEMBERED} THEN f.failures + 1 ELSE 1 END`,
      [key],
    );
  }

  async clear(tx: TypeOrmTx, key: string): Promise<void> {
    await tx.query('DELETE FROM sign_in_failure WHERE key = $1', [key]);
  }

  async sweep(): Promise<void> {
    await this.dataSource.query(`DELETE FROM sign_in_failure WHERE NOT (${REMEMBERED})`);
  }
}
