import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';

export interface TokenOrigin {
  readonly sessionId?: string;
  readonly authorizationId?: string;
}

/** Sessions and authorizations that ended before their tokens did. */
@Injectable()
export class RevocationsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** `seconds`: for how long tokens of it may still be around. */
  async add(tx: TypeOrmTx, kind: 'session' | 'authorization', id: string, seconds: number): Promise<void> {
    await tx.query(
      `INSERT INTO revocation (kind, id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 second') ON CONFLICT (kind, id) DO NOTHING`,
      [kind, id, seconds],
    );
  }

  async has({ sessionId, authorizationId }: TokenOrigin): Promise<boolean> {
    const [row] = await this.dataSource.query<{ revoked: boolean }[]>(
      `SELECT EXISTS (SELECT FROM revocation WHERE (kind = 'session' AND id = $1) OR (kind = 'authorization' AND id = $2)) AS revoked`,
      [sessionId ?? null, authorizationId ?? null],
    );
    return row?.revoked === true;
  }

  async sweep(): Promise<void> {
    await this.dataSource.query('DELETE FROM revocation WHERE expires_at < now()');
  }
}
