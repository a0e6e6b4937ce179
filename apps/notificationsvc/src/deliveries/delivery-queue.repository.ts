import { Injectable } from '@nestjs/common';
import type { SqlTx } from '@twinyard/service-kit';
import type { Transport } from '../kinds/transport';
import type { Notification, NotificationStatus } from '../notifications/notification';
import { type NotificationRow, toNotification } from '../notifications/notifications.repository';

/** A notification as a worker claimed it: each claim counts an attempt, so the number tells a claim from a later one. */
export type Claim = Pick<Notification, 'id' | 'attempts'>;

export interface ClaimTerms {
  readonly leaseMs: number;
  /** Deliveries of one namespace at the same time, in all replicas. */
  readonly perNamespace: number;
  /** Of these, to the same receiver. */
  readonly perReceiver: number;
  readonly transports: readonly Transport[];
}

const CLAIMED = `id = $1 AND attempts = $2 AND status = 'SENDING'`;
/** Claims are made one at a time, or two workers could both take the last place of a namespace. */
const CLAIM_LOCK = 727_101;
/** So many of the oldest of a namespace are looked through for one whose receiver has a place. */
const LOOKED_AT = 5_000;

/**
 * From the namespace with the fewest deliveries under way, the oldest whose receiver has a place. The namespaces are found by one look into
 * the index for each: one that has a million due counts as any other.
 */
const CLAIM = `
  WITH RECURSIVE waiting (namespace) AS (
    (SELECT namespace FROM notification WHERE status = 'SENDING' ORDER BY namespace LIMIT 1)
    UNION ALL
    SELECT (SELECT n.namespace FROM notification n WHERE n.status = 'SENDING' AND n.namespace > w.namespace ORDER BY n.namespace LIMIT 1)
    FROM waiting w WHERE w.namespace IS NOT NULL
  ), under_way AS MATERIALIZED (
    SELECT namespace, receiver FROM notification WHERE running AND status = 'SENDING' AND due_at > now()
  ), next AS (
    SELECT found.id
    FROM waiting w
    CROSS JOIN LATERAL (SELECT count(*) AS places FROM under_way u WHERE u.namespace = w.namespace) taken
    CROSS JOIN LATERAL (
      SELECT id, due_at FROM (
        SELECT id, due_at, receiver, transport FROM notification n
        WHERE n.status = 'SENDING' AND n.namespace = w.namespace AND n.due_at <= now() ORDER BY n.due_at LIMIT ${LOOKED_AT}
      ) oldest
      WHERE transport = ANY($4) AND receiver <> ALL(ARRAY(
        SELECT u.receiver FROM under_way u WHERE u.namespace = w.namespace GROUP BY u.receiver HAVING count(*) >= $3))
      ORDER BY due_at LIMIT 1
    ) found
    WHERE w.namespace IS NOT NULL AND taken.places < $2
    ORDER BY taken.places, found.due_at LIMIT 1
  )
  UPDATE notification SET attempts = attempts + 1, running = true, due_at = now() + $1 * interval '1 millisecond', updated_at = now()
  WHERE id = (SELECT id FROM next) AND status = 'SENDING' AND due_at <= now()
  RETURNING *`;

/** What is to be delivered, and who is at it. */
@Injectable()
export class DeliveryQueue {
  /** Takes the next due notification and puts it out of other workers' reach for `leaseMs`: one that dies leaves it to be tried again. */
  async claimDue(tx: SqlTx, { leaseMs, perNamespace, perReceiver, transports }: ClaimTerms): Promise<Notification | undefined> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK]);
    const [row] = await tx.query<NotificationRow>(CLAIM, [leaseMs, perNamespace, perReceiver, transports]);
    return row && toNotification(row);
  }

  /** Keeps a claim for another `leaseMs`. A claim that another worker has taken over since stays with that one. */
  async renew(tx: SqlTx, claim: Claim, leaseMs: number): Promise<void> {
    const sql = `UPDATE notification SET due_at = now() + $3 * interval '1 millisecond' WHERE ${CLAIMED} AND running`;
    await tx.query(sql, [claim.id, claim.attempts, leaseMs]);
  }

  /** Ends a claim; what another worker has taken over since is left to that one. */
  async finish(tx: SqlTx, claim: Claim, status: NotificationStatus, error: string | null): Promise<void> {
    const sql = `UPDATE notification SET status = $3, error = $4, running = false, updated_at = now() WHERE ${CLAIMED}`;
    await tx.query(sql, [claim.id, claim.attempts, status, error]);
  }

  /** Gives a claim back, to be tried again after `delayMs`. */
  async retryLater(tx: SqlTx, claim: Claim, delayMs: number, error: string): Promise<void> {
    await tx.query(
      `UPDATE notification SET due_at = now() + $3 * interval '1 millisecond', error = $4, running = false, updated_at = now() WHERE ${CLAIMED}`,
      [claim.id, claim.attempts, delayMs, error],
    );
  }
}
