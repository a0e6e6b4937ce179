import { Injectable } from '@nestjs/common';
import type { SqlTx } from '@twinyard/service-kit';
import type { Notification } from '../notifications/notification';
import { type NotificationRow, toNotification } from '../notifications/notifications.repository';
import type { Receiver, ReceiverLane } from './delivery-jobs';

/** How an attempt went. `RETRY`: to be tried again after a while. `INTERRUPTED`: it was stopped with its process, as if it had not been begun. */
export type Outcome =
  | { readonly status: 'SENT' }
  | { readonly status: 'SKIPPED' | 'ERROR'; readonly error: string }
  | { readonly status: 'RETRY'; readonly error: string; readonly delayMs: number }
  | { readonly status: 'INTERRUPTED' };

/** Each attempt counts, so the number tells it from a later one. */
type Attempt = Pick<Notification, 'id' | 'attempts'>;

export type Waiting = Receiver & { readonly count: number };

const OF_RECEIVER = `namespace = $1 AND transport = $2 AND receiver = $3 AND status = 'SENDING'`;

/** What an attempt of this lane has left behind, or else what is due longest and in no lane. A replica of the release before takes nothing that is never due by its clock, `due_at`. */
const TAKE = `
  WITH left_behind AS (SELECT id FROM notification WHERE ${OF_RECEIVER} AND lane = $4 LIMIT 1),
  due AS (SELECT id FROM notification WHERE ${OF_RECEIVER} AND lane IS NULL AND next_attempt_at <= now() ORDER BY lane, next_attempt_at LIMIT 1)
  UPDATE notification SET lane = $4, attempts = attempts + 1, due_at = 'infinity', updated_at = now()
  WHERE id = coalesce((SELECT id FROM left_behind), (SELECT id FROM due)) AND status = 'SENDING' AND (lane IS NULL OR lane = $4)
  RETURNING *`;

const NEXT = `
  SELECT greatest(0, extract(epoch FROM next_attempt_at - now()) * 1000)::float8 AS "inMs" FROM notification
  WHERE ${OF_RECEIVER} AND lane IS NULL AND next_attempt_at IS NOT NULL ORDER BY lane, next_attempt_at LIMIT 1`;

const WAITING = `
  SELECT given.*, waiting.count FROM unnest($1::text[], $2::text[], $3::text[]) AS given (namespace, transport, receiver) CROSS JOIN LATERAL (
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM notification n WHERE n.namespace = given.namespace AND n.transport = given.transport AND n.receiver = given.receiver AND n.status = 'SENDING' LIMIT $4
    ) AS counted
  ) AS waiting WHERE waiting.count > 0`;

/** What waits to be delivered, by receiver, and what of it is in a lane. Who calls holds the job of the lane: nobody else has it in hand. */
@Injectable()
export class DeliveryLanes {
  /** The notification to be delivered next by this lane, its attempt counted; undefined when none is due, or another lane was faster. */
  async take(tx: SqlTx, { namespace, transport, receiver, lane }: ReceiverLane): Promise<Notification | undefined> {
    const [row] = await tx.query<NotificationRow>(TAKE, [namespace, transport, receiver, lane]);
    return row && toNotification(row);
  }

  /** Ends an attempt. What is gone, or was taken by another since, stays as it is. */
  async end(tx: SqlTx, { id, attempts }: Attempt, outcome: Outcome): Promise<void> {
    const sql = `UPDATE notification SET lane = NULL, updated_at = now(), status = $3, error = CASE $5::int WHEN 0 THEN $4 ELSE error END, attempts = attempts - $5::int, next_attempt_at = now() + $6 * interval '1 millisecond'
                 WHERE id = $1 AND attempts = $2 AND status = 'SENDING'`;
    await tx.query(sql, [id, attempts, ...columnsOf(outcome)]);
  }

  /** In how many ms the next of the receiver is due; undefined when all that waits is in a lane. */
  async nextInMs(tx: SqlTx, { namespace, transport, receiver }: Receiver): Promise<number | undefined> {
    const [next] = await tx.query<{ inMs: number }>(NEXT, [namespace, transport, receiver]);
    return next?.inMs;
  }

  /** How much there is of each receiver to be delivered, now or later, counted up to `most`; those with nothing are missing. */
  async waitingOf(tx: SqlTx, receivers: readonly Receiver[], most: number): Promise<Waiting[]> {
    const columns = [receivers.map(({ namespace }) => namespace), receivers.map(({ transport }) => transport), receivers.map(({ receiver }) => receiver)];
    return tx.query<Waiting>(WAITING, [...columns, most]);
  }
}

/** Status, error, attempts that do not count, and the wait. */
function columnsOf(outcome: Outcome): [status: string, error: string | null, uncounted: number, delayMs: number] {
  if (outcome.status === 'INTERRUPTED') return ['SENDING', null, 1, 0];
  if (outcome.status === 'RETRY') return ['SENDING', outcome.error, 0, outcome.delayMs];
  return [outcome.status, outcome.status === 'SENT' ? null : outcome.error, 0, 0];
}
