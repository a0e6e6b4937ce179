import { DUE_STATE, inMs, NOW } from './statement-parts';

/** Any number, but for those of the other locks. With the kind beside it: claims of one kind are made one at a time, so that limits hold in all processes together. */
const CLAIM_LOCK = 727_003;

/** Namespaces that are looked through at a time for what has fallen due in them. */
const WAITING_NAMESPACES = 64;
/** What is made ready at a time: of those that are due longest, whosever they are; of each of these namespaces; in all. */
const OF_ALL = 64;
const OF_ONE = 32;
const IN_ALL = 500;

/** $1 kind. */
export const CLAIM_TURN = `SELECT pg_advisory_xact_lock(${CLAIM_LOCK}, hashtext($1))`;

/**
 * What is due becomes ready, and so does what was held by somebody who has fallen silent. Who has one of them in hand keeps it. Of a tenant with very
 * many that are due as few are made ready as of others. $1 kind, $2 the namespace to begin at. Answers where the next look begins.
 */
export const SETTLE = `
  WITH RECURSIVE waiting AS (
    (SELECT namespace, 1 AS place FROM job WHERE kind = $1 AND state = 'WAITING' AND namespace >= $2 ORDER BY namespace LIMIT 1)
    UNION ALL
    SELECT next.namespace, place + 1 FROM waiting AS one CROSS JOIN LATERAL (
      SELECT namespace FROM job WHERE kind = $1 AND state = 'WAITING' AND namespace > one.namespace ORDER BY namespace LIMIT 1
    ) AS next WHERE place < ${WAITING_NAMESPACES}
  ), first_of_each AS (
    SELECT first.id, row_number() OVER (PARTITION BY waiting.namespace ORDER BY first.due_at) AS turn
    FROM waiting CROSS JOIN LATERAL (
      SELECT id, due_at FROM job WHERE kind = $1 AND state = 'WAITING' AND namespace = waiting.namespace AND due_at <= now() ORDER BY due_at LIMIT ${OF_ONE}
    ) AS first
  ), due AS (
    (SELECT id FROM job WHERE kind = $1 AND state = 'WAITING' AND due_at <= now() ORDER BY due_at LIMIT ${OF_ALL})
    UNION
    (SELECT id FROM first_of_each ORDER BY turn LIMIT ${IN_ALL})
  ), free AS MATERIALIZED (
    SELECT id FROM job WHERE id IN (SELECT id FROM due) AND state = 'WAITING' FOR UPDATE SKIP LOCKED
  ), left_behind AS MATERIALIZED (
    SELECT id FROM job WHERE kind = $1 AND state = 'RUNNING' AND leased_until < now() LIMIT ${IN_ALL} FOR UPDATE SKIP LOCKED
  ), settled AS (
    UPDATE job SET state = ${DUE_STATE}, attempts = CASE WHEN again THEN 0 ELSE attempts END, again = false, leased_until = NULL
    WHERE id IN (SELECT id FROM free UNION ALL SELECT id FROM left_behind)
  )
  SELECT CASE WHEN count(*) = ${WAITING_NAMESPACES} THEN max(namespace) ELSE '' END AS reached FROM waiting`;

const isIdle = (name: string) => `(NOT EXISTS (SELECT FROM busy WHERE busy.namespace = ${name}.namespace))::int`;

/** From one namespace to the next by the index, until as many without a running job were met as can be taken: one look for each, however many jobs they have. */
const namespacesFrom = (name: string, first: string, further: string) => `
  ${name} AS (
    SELECT first.namespace, 1 AS place, ${isIdle('first')} AS idle FROM (
      SELECT namespace FROM job WHERE kind = $1 AND state = 'READY' AND ${first} ORDER BY namespace LIMIT 1
    ) AS first
    UNION ALL
    SELECT next.namespace, place + 1, idle + ${isIdle('next')} FROM ${name} AS one CROSS JOIN LATERAL (
      SELECT namespace FROM job WHERE kind = $1 AND state = 'READY' AND namespace > one.namespace AND ${further} ORDER BY namespace LIMIT 1
    ) AS next WHERE idle < $2
  )`;

const AROUND = 'namespace <= $5 AND (SELECT coalesce(max(idle), 0) FROM behind) < $2';

/** $1 kind, $2 slots, $3 lease, $4 most of one namespace, $5 the namespace to begin behind. In the order of their turns. */
export const CLAIM = `
  WITH RECURSIVE busy AS MATERIALIZED (
    SELECT namespace, count(*)::int AS running FROM job WHERE kind = $1 AND state = 'RUNNING' GROUP BY namespace
  ), ${namespacesFrom('behind', 'namespace > $5', 'true')}, ${namespacesFrom('around', AROUND, 'namespace <= $5')},
  ready AS (
    SELECT namespace, place FROM behind UNION ALL SELECT namespace, (SELECT count(*)::int FROM behind) + place FROM around
  ), next_namespaces AS (
    SELECT namespace, place, coalesce(running, 0) AS running FROM ready LEFT JOIN busy USING (namespace)
    WHERE coalesce(running, 0) < $4 ORDER BY coalesce(running, 0), place LIMIT $2
  ), leveled AS (
    SELECT first.id, place, running + row_number() OVER (PARTITION BY namespace ORDER BY first.due_at, first.position) AS level
    FROM next_namespaces AS next CROSS JOIN LATERAL (
      SELECT id, due_at, position FROM job WHERE kind = $1 AND state = 'READY' AND namespace = next.namespace
      ORDER BY due_at, position LIMIT least($2, $4 - running)
    ) AS first
  ), turns AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY level, place) AS turn FROM leveled ORDER BY level, place LIMIT $2
  ), chosen AS MATERIALIZED (
    SELECT id FROM job WHERE id IN (SELECT id FROM turns) AND state = 'READY' FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE job SET state = 'RUNNING', token = nextval('job_token'), attempts = attempts + 1, leased_until = ${inMs('$3')}
    WHERE id IN (SELECT id FROM chosen)
    RETURNING id, token, namespace, payload, attempts, (extract(epoch FROM ${NOW} - created_at) * 1000)::float8 AS age_ms, unread, request_id
  )
  SELECT taken.* FROM taken JOIN turns USING (id) ORDER BY turn`;

const IS_DUE = `(
  EXISTS (SELECT FROM job WHERE kind = $1 AND state = 'READY')
  OR EXISTS (SELECT FROM job WHERE kind = $1 AND state = 'WAITING' AND due_at <= now())
  OR EXISTS (SELECT FROM job WHERE kind = $1 AND state = 'RUNNING' AND leased_until < now()))`;

/** Below 0 for what has fallen due between two statements. */
const NEXT_MS = `ceil(extract(epoch FROM least(
  (SELECT due_at FROM job WHERE kind = $1 AND state = 'WAITING' AND due_at > now() ORDER BY due_at LIMIT 1),
  (SELECT min(leased_until) FROM job WHERE kind = $1 AND state = 'RUNNING' AND leased_until >= now())
) - ${NOW}) * 1000)::float8`;

/** $1 kind. What was due when the transaction began, and is still there, somebody has in hand. */
export const AHEAD = `SELECT ${IS_DUE} AS is_more, ${NEXT_MS} AS next_ms`;

/** $1 kinds. */
export const LOOK = `
  SELECT kinds.kind, CASE WHEN ${IS_DUE.replaceAll('$1', 'kinds.kind')} THEN 0 ELSE ${NEXT_MS.replaceAll('$1', 'kinds.kind')} END AS next_ms
  FROM unnest($1::text[]) AS kinds (kind)`;
