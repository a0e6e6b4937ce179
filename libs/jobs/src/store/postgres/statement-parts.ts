import type { JobState } from '../job-store';

/** Who listens here hears the kind of jobs that were committed. */
export const CHANNEL = 'jobs';

export const NOW = 'clock_timestamp()';
export const inMs = (parameter: string) => `${NOW} + ${parameter} * interval '1 millisecond'`;
/** In an UPDATE: where a job stands that is due at `due_at`. */
export const DUE_STATE = `CASE WHEN due_at > ${NOW} THEN 'WAITING' ELSE 'READY' END`;

/** $1 and $2: ids and tokens. */
export const HELD = `state = 'RUNNING' AND (id, token) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))`;

/**
 * First in its transaction. Statistics of a queue are always old: without these settings the planner now and then reads all that waits to find one
 * row of an index. And nobody waits long for a row that some transaction has in hand.
 */
export const BY_INDEX = `
  SELECT set_config('lock_timeout', '2s', true), set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;

const nextKind = (states: readonly JobState[], after: string) =>
  `least(${states.map((state) => `(SELECT kind FROM job WHERE state = '${state}' AND kind > ${after} ORDER BY kind LIMIT 1)`).join(', ')})`;

/** For WITH RECURSIVE: `kinds`, from one to the next by the indexes, however many jobs they have. The last row is null. */
export const kindsWith = (states: readonly JobState[]) => `
  kinds AS (
    SELECT ${nextKind(states, `''`)} AS kind
    UNION ALL
    SELECT next.kind FROM kinds CROSS JOIN LATERAL (SELECT ${nextKind(states, 'kinds.kind')} AS kind) AS next WHERE kinds.kind IS NOT NULL
  )`;
