import { Injectable } from '@nestjs/common';
import { isUuid } from '@twinyard/conventions';
import type { SqlTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import type { UpstreamFault } from './upstream-fault';
import type { UpstreamProfile } from './upstream-profile';

export type UpstreamOutcome = { readonly profile: UpstreamProfile } | { readonly fault: UpstreamFault };

/** A sign-in that has come back from its issuer. */
export interface UpstreamAttempt {
  readonly id: string;
  readonly providerId: string;
  readonly outcome: UpstreamOutcome;
}

export interface NewAttempt {
  readonly id: string;
  readonly providerId: string;
  readonly interactionUid: string;
  /** The `state`, and what the browser's cookie holds: by their hash, since they are secrets. */
  readonly stateHash: string;
  readonly browserHash: string;
}

const [SECONDS_AWAY, SECONDS_BACK] = [900, 3_600];
const SWEEP_BATCH = 100;

/** Sign-ins that are away at an issuer or back from it, for all replicas. */
@Injectable()
export class UpstreamAttemptsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Each takes some that are over with it, so that there are never many. */
  async insert({ id, providerId, interactionUid, stateHash, browserHash }: NewAttempt): Promise<void> {
    await this.dataSource.query(
      `WITH swept AS (DELETE FROM upstream_sign_in WHERE id IN (SELECT id FROM upstream_sign_in WHERE expires_at < now() LIMIT ${SWEEP_BATCH}))
       INSERT INTO upstream_sign_in (id, provider_id, interaction_uid, state_hash, browser_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + interval '${SECONDS_AWAY} seconds')`,
      [id, providerId, interactionUid, stateHash, browserHash],
    );
  }

  /** Of all that come with this state only the first is answered, and only in its browser and at its provider's address. */
  async take({ providerId, stateHash, browserHash }: Omit<NewAttempt, 'id' | 'interactionUid'>): Promise<Pick<NewAttempt, 'id' | 'interactionUid'> | undefined> {
    if (!isUuid(providerId)) return undefined;
    const [rows] = await this.dataSource.query<[{ id: string; interactionUid: string }[], number]>(
      `UPDATE upstream_sign_in SET used_at = now(), expires_at = now() + interval '${SECONDS_BACK} seconds'
       WHERE state_hash = $1 AND browser_hash = $2 AND provider_id = $3 AND used_at IS NULL AND expires_at > now()
       RETURNING id, interaction_uid AS "interactionUid"`,
      [stateHash, browserHash, providerId],
    );
    return rows[0];
  }

  async keep(id: string, outcome: UpstreamOutcome): Promise<void> {
    await this.dataSource.query('UPDATE upstream_sign_in SET outcome = $2 WHERE id = $1', [id, outcome]);
  }

  async find(id: string, interactionUid: string): Promise<UpstreamAttempt | undefined> {
    if (!isUuid(id)) return undefined;
    const [attempt] = await this.dataSource.query<UpstreamAttempt[]>(
      `SELECT id, provider_id AS "providerId", outcome FROM upstream_sign_in
       WHERE id = $1 AND interaction_uid = $2 AND outcome IS NOT NULL AND expires_at > now()`,
      [id, interactionUid],
    );
    return attempt;
  }

  /** It has led to an account. False when it had before, or when its provider has gone. */
  async finish(tx: SqlTx, id: string): Promise<boolean> {
    return (await tx.query('DELETE FROM upstream_sign_in WHERE id = $1 RETURNING id', [id])).length === 1;
  }

  /** Whether a mail may go to this address: one for each sign-in, and `limit` for all of them in a quarter of an hour. */
  async claimMail(tx: SqlTx, id: string, email: string, limit: number): Promise<'free' | 'sent' | 'too-many'> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 620))', [`mails ${email}`]);
    const [known] = await tx.query<{ sent: boolean; recent: string }>(
      `SELECT coalesce((SELECT mailed_at IS NOT NULL FROM upstream_sign_in WHERE id = $1), true) AS sent,
         (SELECT count(*) FROM upstream_sign_in WHERE mailed_to = $2 AND mailed_at > now() - interval '15 minutes') AS recent`,
      [id, email],
    );
    if (known?.sent !== false) return 'sent';
    if (Number(known.recent) >= limit) return 'too-many';
    await tx.query('UPDATE upstream_sign_in SET mailed_at = now(), mailed_to = $2 WHERE id = $1', [id, email]);
    return 'free';
  }
}
