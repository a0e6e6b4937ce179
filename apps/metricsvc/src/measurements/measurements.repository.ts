import { Injectable } from '@nestjs/common';
import type { SqlTx } from '@twinyard/service-kit';
import { METRICS } from '../metrics/metric-catalogue';
import type { Contribution, SeriesDelta } from './contribution';

export interface Measurement {
  readonly subject: string;
  readonly sequence: number;
  readonly contributions: readonly Contribution[];
}

interface Row {
  readonly subject: string;
  readonly sequence: string;
  readonly contributions: Contribution[];
}

const toMeasurement = (row: Row): Measurement => ({ subject: row.subject, sequence: Number(row.sequence), contributions: row.contributions });

/** Things are found by a look through all of them: better in a few large steps. */
const PURGE_BATCH = 5_000;

@Injectable()
export class MeasurementsRepository {
  /** The thing's last statement, locked until the transaction ends. A thing unknown until now is made, empty. */
  async lock(tx: SqlTx, subject: string, owner: string): Promise<Measurement> {
    await tx.query(`INSERT INTO measurement (subject, owner, sequence, contributions) VALUES ($1, $2, 0, '[]') ON CONFLICT (subject) DO NOTHING`, [subject, owner]);
    const [row] = await tx.query<Row>('SELECT subject, sequence, contributions FROM measurement WHERE subject = $1 FOR UPDATE', [subject]);
    return toMeasurement(row as Row);
  }

  /** Whether the owner was deleted by a later event, or a rebuild has seen it later: what comes late about its parts says nothing any more. */
  async isOutdated(tx: SqlTx, owner: string, sequence: number): Promise<boolean> {
    const rows = await tx.query(
      `SELECT FROM measurement WHERE subject IN ('file:' || $1, 'item:' || $1) AND contributions = '[]' AND sequence > $2
       UNION ALL SELECT FROM restatement WHERE owner = $1 AND sequence >= $2`,
      [owner, sequence],
    );
    return rows.length > 0;
  }

  /** Everything of an owner that still adds something. */
  async lockOwned(tx: SqlTx, owner: string): Promise<Measurement[]> {
    const rows = await tx.query<Row>(
      `SELECT subject, sequence, contributions FROM measurement WHERE owner = $1 AND contributions <> '[]' ORDER BY subject FOR UPDATE`,
      [owner],
    );
    return rows.map(toMeasurement);
  }

  /** `hour`: in which it happened. */
  async replace(tx: SqlTx, hour: Date, { subject, sequence, contributions }: Measurement): Promise<void> {
    await tx.query(
      'UPDATE measurement SET sequence = $2, contributions = $3, made_at = coalesce(made_at, $4), changed_at = $4 WHERE subject = $1',
      [subject, sequence, JSON.stringify(contributions), hour],
    );
  }

  /**
   * Changes series from `hour` on. An event that comes late changes the hour it happened in and all later points, so a series is
   * the same in whatever order the events came.
   */
  async apply(tx: SqlTx, hour: Date, deltas: readonly SeriesDelta[]): Promise<void> {
    for (const { metric, namespace, outer, inner, delta } of deltas) {
      const series = [metric, namespace, outer, inner, hour];
      await tx.query(
        `INSERT INTO point (metric, namespace, outer_dimension, inner_dimension, hour, value)
         VALUES ($1, $2, $3, $4, $5, coalesce((SELECT value FROM point
           WHERE metric = $1 AND namespace = $2 AND outer_dimension = $3 AND inner_dimension = $4 AND hour < $5 ORDER BY hour DESC LIMIT 1), 0))
         ON CONFLICT DO NOTHING`,
        series,
      );
      await tx.query(
        `UPDATE point SET value = value + $6 WHERE metric = $1 AND namespace = $2 AND outer_dimension = $3 AND inner_dimension = $4 AND hour >= $5`,
        [...series, delta],
      );
    }
  }

  /** For a purge: takes out of what things say whatever they say of this namespace. The number of things. */
  async leaveNamespace(tx: SqlTx, namespace: string): Promise<number> {
    const rows = await tx.query(
      `WITH held AS (
         SELECT subject, coalesce((SELECT jsonb_agg(c) FROM jsonb_array_elements(contributions) c WHERE c ->> 'namespace' <> $1), '[]') AS others
         FROM measurement WHERE contributions @> jsonb_build_array(jsonb_build_object('namespace', $1::text)) LIMIT ${PURGE_BATCH} FOR UPDATE
       ), gone AS (
         DELETE FROM measurement WHERE subject IN (SELECT subject FROM held WHERE others = '[]')
       ), kept AS (
         UPDATE measurement m SET contributions = held.others FROM held WHERE m.subject = held.subject AND held.others <> '[]'
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

  /** One writer at a time in a namespace: two that open the same new hour would both start from the hour before. */
  async lockNamespace(tx: SqlTx, namespace: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [namespace]);
  }
}
