import { Injectable } from '@nestjs/common';
import type { IssuableScopes } from '@twinyard/auth';
import { isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { answerBytesOf, lightSlice, type SqlTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';

export interface AccessKey {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** Keyed hash of `ClientSecrets`. */
  readonly secretHash: string;
  /** What its tokens may be given: at most what its maker's token had. */
  readonly scopes: readonly string[];
  /** The application of its maker's token; `null` in keys of before that was kept. */
  readonly appId: string | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}

/** One that is made now. */
export interface NewAccessKey extends AccessKey {
  readonly scopes: IssuableScopes;
}

const COLUMNS = `id, user_id AS "userId", name, secret_hash AS "secretHash", scopes, app_id AS "appId", expires_at AS "expiresAt", created_at AS "createdAt"`;

@Injectable()
export class AccessKeysRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(userId: string, { offset, pageSize }: Paging): Promise<Slice<AccessKey>> {
    const [count] = await this.dataSource.query<{ total: string }[]>('SELECT count(*) AS total FROM access_key WHERE user_id = $1', [userId]);
    const rows = await this.dataSource.query<AccessKey[]>(`SELECT ${COLUMNS} FROM access_key WHERE user_id = $1 ORDER BY position OFFSET $2 LIMIT $3`, [userId, offset, pageSize]);
    return lightSlice({ rows, total: Number(count?.total) }, answerBytesOf(this.dataSource));
  }

  async find(id: string): Promise<AccessKey | undefined> {
    if (!isUuid(id)) return undefined;
    const [key] = await this.dataSource.query<AccessKey[]>(`SELECT ${COLUMNS} FROM access_key WHERE id = $1`, [id]);
    return key;
  }

  /** False when the user has `limit` of them already, also when several are made at once. */
  async insert(tx: SqlTx, { id, userId, name, secretHash, scopes, appId, expiresAt, createdAt }: NewAccessKey, limit: number): Promise<boolean> {
    await tx.query('SELECT id FROM app_user WHERE id = $1 FOR NO KEY UPDATE', [userId]);
    const rows = await tx.query(
      `INSERT INTO access_key (id, user_id, name, secret_hash, scopes, app_id, expires_at, created_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE (SELECT count(*) FROM access_key WHERE user_id = $2) < $9 RETURNING id`,
      [id, userId, name, secretHash, scopes, appId, expiresAt, createdAt, limit],
    );
    return rows.length === 1;
  }

  async remove(tx: SqlTx, userId: string, id: string): Promise<boolean> {
    return (await tx.query('DELETE FROM access_key WHERE id = $1 AND user_id = $2 RETURNING id', [id, userId])).length === 1;
  }

  async removeAll(tx: SqlTx, userId: string): Promise<string[]> {
    return (await tx.query<{ id: string }>('DELETE FROM access_key WHERE user_id = $1 RETURNING id', [userId])).map(({ id }) => id);
  }
}
