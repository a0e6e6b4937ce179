import { COUNTED, JOB_STATES } from '../job-store';
import { CHANNEL, DUE_STATE, HELD, inMs, kindsWith, NOW } from './statement-parts';

/** Of dead jobs of a kind that are removed at a time. */
const PRUNED = 500;
const OLDEST_OF = 1_000;

/** $6: only where none waits or runs. One that is enqueued again is due when the earlier of both was. */
export const ENQUEUE = `
  WITH given AS (
    SELECT id, kind, namespace, payload, coalesce(due_at, ${NOW}) AS due_at, request_id, place
    FROM unnest($1::text[], $2::text[], $3::text[], $4::json[], $5::timestamptz[], $7::text[]) WITH ORDINALITY AS g (id, kind, namespace, payload, due_at, request_id, place)
  ), queued AS (
    INSERT INTO job AS j (id, kind, namespace, payload, state, due_at, request_id)
    SELECT id, kind, namespace, payload, ${DUE_STATE}, due_at, request_id FROM given ORDER BY place
    ON CONFLICT (id) DO UPDATE SET
      payload = excluded.payload, request_id = excluded.request_id, again = j.state = 'RUNNING', cause = NULL, died_at = NULL, created_at = ${NOW}, unread = 0,
      attempts = CASE j.state WHEN 'RUNNING' THEN j.attempts ELSE 0 END,
      due_at = CASE WHEN j.state IN ('READY', 'WAITING') OR j.again THEN least(j.due_at, excluded.due_at) ELSE excluded.due_at END,
      state = CASE WHEN j.state = 'RUNNING' THEN 'RUNNING' WHEN j.state = 'READY' OR excluded.due_at <= ${NOW} THEN 'READY' ELSE 'WAITING' END
    WHERE j.state = 'DEAD' OR NOT $6::boolean
    RETURNING kind
  )
  SELECT pg_notify('${CHANNEL}', kind) FROM (SELECT DISTINCT kind FROM queued) AS kinds`;

/** Before `FINISH`, which then sees what those have done who had the rows. */
export const LOCK_HELD = `SELECT id FROM job WHERE ${HELD} FOR UPDATE`;

/** $3 lease. */
export const HOLD = `UPDATE job SET leased_until = greatest(leased_until, ${inMs('$3')}) WHERE ${HELD} RETURNING id`;

const finishOf = (held: string) => `
  WITH gone AS (DELETE FROM job WHERE ${held} AND NOT again RETURNING id),
  once_more AS (
    UPDATE job SET state = ${DUE_STATE}, again = false, attempts = 0, leased_until = NULL WHERE ${held} AND again RETURNING id, kind
  )
  SELECT id, false AS again FROM gone UNION ALL SELECT id, true FROM (SELECT id, pg_notify('${CHANNEL}', kind) FROM once_more) AS notified`;

export const FINISH = finishOf(HELD);

/** The same with a claim, which waits for nobody: those that a transaction has in hand are left, and answered by `STILL_HELD`. */
export const LOCK_FREE = `SELECT id FROM job WHERE ${HELD} FOR UPDATE SKIP LOCKED`;
export const FINISH_FREE = finishOf(`id IN (${LOCK_FREE})`);
export const STILL_HELD = `SELECT id FROM job WHERE ${HELD}`;

/** What somebody else has in hand (a change that enqueues it again, its own end) cannot be taken over meanwhile: it is not lost. */
export const RENEW = `
  WITH held AS (SELECT id FROM job WHERE ${HELD}),
  free AS (SELECT id FROM job WHERE ${HELD} FOR UPDATE SKIP LOCKED),
  renewed AS (UPDATE job SET leased_until = ${inMs('$3')} WHERE id IN (SELECT id FROM free))
  SELECT id FROM held`;

/** $3 delay, $4 'counted', 'uncounted' or 'fresh', $5 payload or null, $6 cause or null, $7 how often it could not be read. What was enqueued again meanwhile goes before all of it. */
export const REQUEUE = `
  WITH back AS (
    UPDATE job SET
      due_at = CASE WHEN again THEN due_at ELSE ${inMs('$3')} END,
      state = CASE WHEN again THEN ${DUE_STATE} WHEN $3 > 0 THEN 'WAITING' ELSE 'READY' END,
      attempts = CASE WHEN again OR $4 = 'fresh' THEN 0 WHEN $4 = 'uncounted' THEN attempts - 1 ELSE attempts END,
      payload = CASE WHEN again THEN payload ELSE coalesce($5::json, payload) END,
      unread = CASE WHEN again THEN 0 ELSE $7::int END, cause = $6, again = false, leased_until = NULL
    WHERE ${HELD} RETURNING id, kind
  )
  SELECT id, pg_notify('${CHANNEL}', kind) FROM back`;

export const BURY = `
  UPDATE job SET state = CASE WHEN again THEN ${DUE_STATE} ELSE 'DEAD' END, attempts = CASE WHEN again THEN 0 ELSE attempts END,
    cause = $3, died_at = CASE WHEN again THEN NULL ELSE ${NOW} END, again = false, leased_until = NULL
  WHERE ${HELD} RETURNING state, pg_notify('${CHANNEL}', kind)`;

const counted = (state: string) => `(SELECT count(*)::int FROM (SELECT 1 FROM job WHERE kind = kinds.kind AND state = '${state}' LIMIT ${COUNTED}) AS counted)`;

/** The oldest of each namespace, by the index. */
const OLDEST_READY = `(
  WITH RECURSIVE ready AS (
    (SELECT namespace, due_at, 1 AS place FROM job WHERE kind = kinds.kind AND state = 'READY' ORDER BY namespace, due_at, position LIMIT 1)
    UNION ALL
    SELECT next.namespace, next.due_at, place + 1 FROM ready AS one CROSS JOIN LATERAL (
      SELECT namespace, due_at FROM job WHERE kind = kinds.kind AND state = 'READY' AND namespace > one.namespace ORDER BY namespace, due_at, position LIMIT 1
    ) AS next WHERE place < ${OLDEST_OF}
  ) SELECT min(due_at) FROM ready)`;
const OLDEST_WAITING = `(SELECT due_at FROM job WHERE kind = kinds.kind AND state = 'WAITING' ORDER BY due_at LIMIT 1)`;

export const STATISTICS = `
  WITH RECURSIVE ${kindsWith(JOB_STATES)}
  SELECT kinds.kind, ${counted('READY')} + ${counted('WAITING')} AS queued, ${counted('RUNNING')} AS running, ${counted('DEAD')} AS dead,
    greatest(0, coalesce(extract(epoch FROM ${NOW} - least(${OLDEST_READY}, ${OLDEST_WAITING})) * 1000, 0))::float8 AS "oldestMs"
  FROM kinds WHERE kinds.kind IS NOT NULL`;

const ASKED_FOR = `($1::text IS NULL OR kind = $1) AND ($2::text IS NULL OR id = $2) AND ($3::text IS NULL OR namespace = $3)`;
const MATCHING = `state = 'DEAD' AND ${ASKED_FOR}`;

export const LIST = `
  SELECT id, kind, namespace, state, attempts, due_at AS "dueAt", cause, request_id AS "requestId" FROM job
  WHERE state <> 'DEAD' AND ${ASKED_FOR} ORDER BY state <> 'RUNNING', due_at, position LIMIT $4`;

export const DEAD = `
  SELECT id, kind, namespace, attempts, coalesce(cause, '') AS cause, died_at AS "diedAt" FROM job WHERE ${MATCHING} ORDER BY died_at DESC, position DESC LIMIT $4`;

export const REPLAY = `
  WITH back AS (
    UPDATE job SET state = 'READY', attempts = 0, due_at = ${NOW}, died_at = NULL, cause = NULL, unread = 0 WHERE ${MATCHING} RETURNING kind
  ), told AS (SELECT pg_notify('${CHANNEL}', kind) FROM (SELECT DISTINCT kind FROM back) AS kinds)
  SELECT (SELECT count(*)::int FROM back) AS replayed, (SELECT count(*) FROM told)`;

export const DROP = `DELETE FROM job WHERE ${MATCHING} RETURNING id`;

/** $1 before, $2 most of a kind. */
export const PRUNE = `
  WITH RECURSIVE ${kindsWith(['DEAD'])},
  aged AS (
    SELECT one.id FROM kinds CROSS JOIN LATERAL (
      (SELECT id FROM job WHERE kind = kinds.kind AND state = 'DEAD' AND died_at < $1::timestamptz ORDER BY died_at LIMIT ${PRUNED})
      UNION ALL
      (SELECT id FROM job WHERE kind = kinds.kind AND state = 'DEAD' ORDER BY died_at DESC, position DESC OFFSET $2::int LIMIT ${PRUNED})
    ) AS one WHERE kinds.kind IS NOT NULL
  ), free AS MATERIALIZED (
    SELECT id FROM job WHERE id IN (SELECT id FROM aged) AND state = 'DEAD' FOR UPDATE SKIP LOCKED
  )
  DELETE FROM job WHERE id IN (SELECT id FROM free) RETURNING id`;

const ofNamespace = (state: string) => `(SELECT id FROM job WHERE kind = kinds.kind AND state = '${state}' AND namespace = $1 LIMIT $2)`;

/** $1 namespace, $2 limit. Waits for who has one of them in hand. */
export const PURGE = `
  WITH RECURSIVE ${kindsWith(JOB_STATES)},
  found AS (
    SELECT one.id FROM kinds CROSS JOIN LATERAL (${JOB_STATES.map(ofNamespace).join(' UNION ALL ')}) AS one WHERE kinds.kind IS NOT NULL LIMIT $2
  ), held AS MATERIALIZED (
    SELECT id FROM job WHERE id IN (SELECT id FROM found) AND namespace = $1 FOR UPDATE
  )
  DELETE FROM job WHERE id IN (SELECT id FROM held) RETURNING id`;
