import { Injectable } from '@nestjs/common';
import type { SqlTx } from '@twinyard/service-kit';
import { METRICS } from '../metrics/metric-catalogue';
import type { Contribution } from './contribution';
import type { Measurement, Restated } from './measurement';
import type { SeriesChange } from './series-changes';

interface Row {
  readonly subject: string;
  readonly owner: string;
  readonly sequence: string;
  readonly namespaces: string[];
  readonly contributions: Contribution[];
}

const toMeasurement = (row: Row): Measurement => ({ ...row, sequence: Number(row.sequence) });

interface Wanted {
  readonly stated: readonly { readonly subject: string; readonly owner: string }[];
  readonly related: readonly string[];
  /** Of these, all that still adds something. */
  readonly endedOwners: readonly string[];
}

/** Things are found by a look through all of them: better in a few large steps. */
const PURGE_BATCH = 5_000;
const SWEEP_BATCH = 5_000;

@Injectable()
export class MeasurementsRepository {
  /**
   * What is known of these things, locked until the transaction ends. Those that are stated and unknown until now are made, empty. Always in the
   * order of their names: two that lock some of the same things do not wait for each other in a circle.
   */
  async lock(tx: SqlTx, { stated, related, endedOwners }: Wanted): Promise<Measurement[]> {
    await tx.query(
      `INSERT INTO measurement (subject, owner, sequence, contributions)
       SELECT DISTINCT ON (subject) subject, owner, 0, '[]'::jsonb FROM unnest($1::text[], $2::text[]) AS stated (subject, owner) ORDER BY subject
       ON CONFLICT (subject) DO NOTHING`,
      [stated.map(({ subject }) => subject), stated.map(({ owner }) => owner)],
    );
    const rows = await tx.query<Row>(
      `SELECT subject, owner, sequence, namespaces, contributions FROM measurement
       WHERE subject = ANY($1) OR (owner = ANY($2) AND contributions <> '[]') ORDER BY subject FOR UPDATE`,
      [[...new Set([...stated.map(({ subject }) => subject), ...related])], endedOwners],
    );
    return rows.map(toMeasurement);
  }

  /** Up to which event number a rebuild has taken these owners over. */
  async restatementsOf(tx: SqlTx, owners: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await tx.query<{ owner: string; sequence: string }>('SELECT owner, sequence FROM restatement WHERE owner = ANY($1)', [owners]);
    return new Map(rows.map(({ owner, sequence }) => [owner, Number(sequence)]));
  }

  /** Writes down what some say now, and forgets others. */
  async keep(tx: SqlTx, restated: readonly Restated[], forgotten: readonly string[]): Promise<void> {
    if (restated.length + forgotten.length === 0) return;
    await tx.query(
      `WITH forgotten AS (
         DELETE FROM measurement WHERE subject = ANY($2)
       )
       UPDATE measurement m SET sequence = said.sequence, namespaces = said.namespaces, contributions = said.contributions,
         made_at = coalesce(m.made_at, said."firstHour"), changed_at = said."lastHour", ended_at = CASE WHEN said.contributions = '[]' THEN now() END
       FROM jsonb_to_recordset($1) AS said(subject text, sequence bigint, namespaces text[], contributions jsonb, "firstHour" timestamptz, "lastHour" timestamptz)
       WHERE m.subject = said.subject`,
      [JSON.stringify(restated), forgotten],
    );
  }

  /** Forgets some of what ended, or was restated, before this moment. */
  async removeEnded(tx: SqlTx, before: Date): Promise<number> {
    const things = await tx.query(`DELETE FROM measurement WHERE subject IN (SELECT subject FROM measurement WHERE ended_at < $1 ORDER BY subject LIMIT ${SWEEP_BATCH} FOR UPDATE) RETURNING 1`, [before]);
    const owners = await tx.query(`DELETE FROM restatement WHERE owner IN (SELECT owner FROM restatement WHERE restated_at < $1 ORDER BY owner LIMIT ${SWEEP_BATCH} FOR UPDATE) RETURNING 1`, [before]);
    return things.length + owners.length;
  }

  /**
   * Changes series from their hours on. An event that comes late changes the hour it happened in and all later points, so a series is
   * the same in whatever order the events came. The statement sees the points as they were: what it makes it does not change as well.
   */
  async apply(tx: SqlTx, changes: readonly SeriesChange[]): Promise<void> {
    if (changes.length === 0) return;
    await tx.query(
      `WITH change AS (
         SELECT * FROM jsonb_to_recordset($1) AS c(metric text, namespace text, "outer" text, "inner" text, "from" timestamptz, until timestamptz, delta bigint)
       ), later AS (
         UPDATE point p SET value = p.value + c.delta FROM change c
         WHERE p.metric = c.metric AND p.namespace = c.namespace AND p.outer_dimension = c."outer" AND p.inner_dimension = c."inner" AND p.hour >= c."from" AND p.hour < c.until
       )
       INSERT INTO point (metric, namespace, outer_dimension, inner_dimension, hour, value)
       SELECT c.metric, c.namespace, c."outer", c."inner", c."from", c.delta + coalesce((SELECT value FROM point p
         WHERE p.metric = c.metric AND p.namespace = c.namespace AND p.outer_dimension = c."outer" AND p.inner_dimension = c."inner" AND p.hour < c."from"
         ORDER BY p.hour DESC LIMIT 1), 0)
       FROM change c ON CONFLICT DO NOTHING`,
      [JSON.stringify(changes)],
    );
  }

  /** For a purge: takes out of what things say whatever they say of this namespace, and forgets those that lay nowhere else. The number of things. */
  async leaveNamespace(tx: SqlTx, namespace: string): Promise<number> {
    const rows = await tx.query(
      `WITH held AS (
         SELECT subject, owner, array_remove(namespaces, $1) AS namespaces,
                coalesce((SELECT jsonb_agg(c) FROM jsonb_array_elements(contributions) c WHERE c ->> 'namespace' <> $1), '[]') AS others
         FROM measurement WHERE namespaces @> ARRAY[$1::text] OR contributions @> jsonb_build_array(jsonb_build_object('namespace', $1::text))
         ORDER BY subject LIMIT ${PURGE_BATCH} FOR UPDATE
       ), gone AS (
         SELECT subject, owner FROM held WHERE namespaces = '{}' AND others = '[]'
       ), removed AS (
         DELETE FROM measurement WHERE subject IN (SELECT subject FROM gone)
       ), restated AS (
         DELETE FROM restatement r WHERE owner IN (SELECT owner FROM gone)
           AND NOT EXISTS (SELECT FROM measurement m WHERE m.owner = r.owner AND m.subject NOT IN (SELECT subject FROM gone))
       ), kept AS (
         UPDATE measurement m SET namespaces = held.namespaces, contributions = held.others, ended_at = CASE WHEN held.others = '[]' THEN coalesce(m.ended_at, now()) END
         FROM held WHERE m.subject = held.subject AND held.subject NOT IN (SELECT subject FROM gone)
       )
       SELECT subject FROM held`,
      [namespace],
    );
    return rows.length;
  }

  /** For a purge. The metrics are named for the index, which begins with them. */
  async removePoints(tx: SqlTx, namespace: string): Promise<number> {
    const rows = await tx.query(
      `DELETE FROM point WHERE ctid = ANY(ARRAY(SELECT ctid FROM point WHERE metric = ANY($1) AND namespace = $2 LIMIT ${PURGE_BATCH} FOR UPDATE)) RETURNING 1`,
      [[...METRICS.keys()], namespace],
    );
    return rows.length;
  }

  /**
   * One writer at a time in a namespace: two that open the same new hour would both start from the hour before, and one that a purge does not wait
   * for would leave something. In the order of the locks.
   */
  async lockNamespaces(tx: SqlTx, namespaces: readonly string[]): Promise<void> {
    if (namespaces.length === 0) return;
    await tx.query(
      `SELECT pg_advisory_xact_lock(key) FROM (SELECT DISTINCT hashtextextended(namespace, 0) AS key FROM unnest($1::text[]) AS namespace ORDER BY key) ordered`, [namespaces],
    );
  }
}
