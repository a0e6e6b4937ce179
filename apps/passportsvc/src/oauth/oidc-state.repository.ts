import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { AdapterPayload } from 'oidc-provider';
import { DataSource } from 'typeorm';

/** Kept after they ended, so that a code that is used again is known for what it is. */
const KEPT_SECONDS = 3_600;
const SWEEP_BATCH = 5_000;

interface StateRow {
  readonly payload: AdapterPayload;
  readonly consumed_at: Date | null;
}

/** Without a grace never, also where the clocks of two transactions cross. */
const IN_GRACE = `($3::int > 0 AND consumed_at > now() - $3::int * interval '1 second')`;

/** Codes and session ids are secrets: rows are named by their hash. */
const nameOf = (id: string) => createHash('sha256').update(id).digest('base64url');

/** What oidc-provider remembers between two requests, so that any replica serves any step. */
@Injectable()
export class OidcStateRepository {
  constructor(private readonly dataSource: DataSource) {}

  async upsert(model: string, id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO oidc_state (model, id, payload, grant_id, uid, session_uid, user_id, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 second')
       ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid,
         session_uid = excluded.session_uid, user_id = excluded.user_id, expires_at = excluded.expires_at`,
      [model, nameOf(id), { ...payload, jti: undefined }, payload.grantId ?? null, payload.uid ?? null, payload['sessionUid'] ?? null, payload.accountId ?? null, expiresIn],
    );
  }

  /** What was used less than `graceSeconds` ago is as if it were not. */
  async find(model: string, id: string, graceSeconds = 0): Promise<AdapterPayload | undefined> {
    const [row] = await this.dataSource.query<StateRow[]>(
      `SELECT payload, CASE WHEN ${IN_GRACE} THEN NULL ELSE consumed_at END AS consumed_at FROM oidc_state WHERE model = $1 AND id = $2`, [model, nameOf(id), graceSeconds],
    );
    return row && { ...toPayload(row), jti: id };
  }

  async findByUid(model: string, uid: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.dataSource.query<StateRow[]>('SELECT payload, consumed_at FROM oidc_state WHERE model = $1 AND uid = $2', [model, uid]);
    return row && toPayload(row);
  }

  /** Answers false when it was used before: of two requests with one code only one gets true. Within the grace of its first use it may be used again. */
  async consume(model: string, id: string, graceSeconds = 0): Promise<boolean> {
    const [row] = await this.dataSource.query<{ consumed: boolean }[]>(
      `WITH used AS (UPDATE oidc_state SET consumed_at = coalesce(consumed_at, now()) WHERE model = $1 AND id = $2 AND (consumed_at IS NULL OR ${IN_GRACE}) RETURNING 1)
       SELECT EXISTS (SELECT FROM used) AS consumed`,
      [model, nameOf(id), graceSeconds],
    );
    return row?.consumed === true;
  }

  async destroy(model: string, id: string): Promise<void> {
    await this.dataSource.query('DELETE FROM oidc_state WHERE model = $1 AND id = $2', [model, nameOf(id)]);
  }

  async destroyByGrant(model: string, grantId: string): Promise<void> {
    await this.dataSource.query('DELETE FROM oidc_state WHERE model = $1 AND grant_id = $2', [model, grantId]);
  }

  /** The browser's session, and the codes and refresh tokens that were issued in it. */
  async destroySession(tx: TypeOrmTx, sessionUid: string): Promise<void> {
    await tx.query(`DELETE FROM oidc_state WHERE session_uid = $1 OR (model = 'Session' AND uid = $1)`, [sessionUid]);
  }

  /** A sign-in under way is none of it: when somebody else signs in over a session, it goes on after the authorization of the one before has ended. */
  async destroyAuthorization(tx: TypeOrmTx, grantId: string): Promise<void> {
    await tx.query(`DELETE FROM oidc_state WHERE (grant_id = $1 AND model <> 'Interaction') OR (model = 'Grant' AND id = $2)`, [grantId, nameOf(grantId)]);
  }

  /** Answers which sessions and authorizations the user had; of a session that is kept, what belongs to it stays, and so do grants, which open nothing by themselves. */
  async destroyUser(tx: TypeOrmTx, userId: string, keptSessionUid?: string): Promise<{ readonly sessionIds: readonly string[]; readonly grantIds: readonly string[] }> {
    const rows = await tx.query<{ session_id: string | null; grant_id: string | null }>(
      `DELETE FROM oidc_state WHERE user_id = $1 AND ($2::text IS NULL OR (coalesce(session_uid, uid) IS DISTINCT FROM $2 AND model <> 'Grant'))
       RETURNING coalesce(session_uid, uid) AS session_id, grant_id`, [userId, keptSessionUid ?? null],
    );
    const distinct = (ids: readonly (string | null)[]) => [...new Set(ids.filter((id) => id !== null))];
    return { sessionIds: distinct(rows.map((row) => row.session_id)), grantIds: distinct(rows.map((row) => row.grant_id)) };
  }

  async sweep(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM oidc_state WHERE (model, id) IN (
         SELECT model, id FROM oidc_state WHERE expires_at < now() - $1 * interval '1 second' LIMIT $2)`,
      [KEPT_SECONDS, SWEEP_BATCH],
    );
  }
}

const toPayload = ({ payload, consumed_at: consumedAt }: StateRow): AdapterPayload => ({
  ...payload,
  ...(consumedAt !== null && { consumed: Math.floor(consumedAt.getTime() / 1_000) }),
});
