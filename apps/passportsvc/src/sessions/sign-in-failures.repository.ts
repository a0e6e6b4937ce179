import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Failures } from './sign-in-throttle';

/** After this time without a wrong password the count starts anew. */
const FORGOTTEN_AFTER = '15 minutes';

/** Wrong passwords by account and address, for all replicas. */
@Injectable()
export class SignInFailuresRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(keys: readonly string[]): Promise<Failures[]> {
    const rows = await this.dataSource.query<{ key: string; failures: number; last_failed_at: Date }[]>(
      `SELECT key, failures, last_failed_at FROM sign_in_failure WHERE key = ANY($1) AND last_failed_at > now() - interval '${FORGOTTEN_AFTER}'`,
      [keys],
    );
    return rows.map(({ key, failures, last_failed_at: lastFailedAt }) => ({ key, failures, lastFailedAt }));
  }

  async add(keys: readonly string[]): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO sign_in_failure AS f (key, failures, last_failed_at) SELECT key, 1, now() FROM unnest($1::text[]) key ORDER BY key
       ON CONFLICT (key) DO UPDATE SET last_failed_at = now(),
         failures = CASE WHEN f.last_failed_at > now() - interval '${FORGOTTEN_AFTER}' THEN f.failures + 1 ELSE 1 END`,
      [keys],
    );
  }

  async clear(key: string): Promise<void> {
    await this.dataSource.query('DELETE FROM sign_in_failure WHERE key = $1', [key]);
  }

  async sweep(): Promise<void> {
    await this.dataSource.query(`DELETE FROM sign_in_failure WHERE last_failed_at < now() - interval '${FORGOTTEN_AFTER}'`);
  }
}
