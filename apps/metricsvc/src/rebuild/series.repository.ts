import type { SqlTx } from '@twinyard/service-kit';

/** What every thing adds to every series: that of its own dimensions, and those that leave dimensions out (`deltasBetween` does the same). */
const ADDED = `
  SELECT c.metric, c.namespace, o.outer_dimension, i.inner_dimension, c.value, m.made_at, m.changed_at
  FROM measurement m
  CROSS JOIN LATERAL jsonb_to_recordset(m.contributions) AS c(metric text, namespace text, "outer" text, "inner" text, value bigint)
  CROSS JOIN LATERAL (SELECT DISTINCT unnest(ARRAY['', c."outer"]) AS outer_dimension) o
  CROSS JOIN LATERAL (SELECT DISTINCT unnest(ARRAY['', c."inner"]) AS inner_dimension) i`;

const CORRECT = `
  WITH told AS (
    SELECT metric, namespace, outer_dimension, inner_dimension, sum(value)::bigint AS value FROM (${ADDED}) added GROUP BY 1, 2, 3, 4
  ), stood AS (
    SELECT DISTINCT ON (metric, namespace, outer_dimension, inner_dimension) metric, namespace, outer_dimension, inner_dimension, hour, value
    FROM point ORDER BY metric, namespace, outer_dimension, inner_dimension, hour DESC
  )
  INSERT INTO point (metric, namespace, outer_dimension, inner_dimension, hour, value)
  SELECT metric, namespace, outer_dimension, inner_dimension, greatest(date_trunc('hour', now(), 'UTC'), stood.hour), coalesce(told.value, 0)
  FROM told FULL JOIN stood USING (metric, namespace, outer_dimension, inner_dimension)
  WHERE coalesce(told.value, 0) <> coalesce(stood.value, 0)
  ON CONFLICT (metric, namespace, outer_dimension, inner_dimension, hour) DO UPDATE SET value = excluded.value
  RETURNING 1`;

/** A thing counts from the hour in which it was made, what it holds from the hour in which it last changed. */
const COUNTS_THE_THING = "(metric LIKE '%Count' OR metric LIKE '%Count.graphics') AND metric NOT LIKE '%RelatedItemsCount'";

const REWRITE = `
  WITH steps AS (
    SELECT metric, namespace, outer_dimension, inner_dimension,
           coalesce(CASE WHEN ${COUNTS_THE_THING} THEN made_at ELSE changed_at END, date_trunc('hour', now(), 'UTC')) AS hour,
           sum(value) AS step
    FROM (${ADDED}) added GROUP BY 1, 2, 3, 4, 5 HAVING sum(value) <> 0
  )
  INSERT INTO point (metric, namespace, outer_dimension, inner_dimension, hour, value)
  SELECT metric, namespace, outer_dimension, inner_dimension, hour,
         sum(step) OVER (PARTITION BY metric, namespace, outer_dimension, inner_dimension ORDER BY hour)
  FROM steps RETURNING 1`;

/** The series as a whole, for a rebuild; under the lock of `RestatementsRepository`. */
export class SeriesRepository {
  /** Gives each series that ends at a wrong value a point at the right one; earlier points stay. The number of series. */
  async correct(tx: SqlTx): Promise<number> {
    return (await tx.query(CORRECT)).length;
  }

  /** Makes all series anew from what there is. What was deleted leaves no trace. The number of points. */
  async rewrite(tx: SqlTx): Promise<number> {
    await tx.query('DELETE FROM point');
    return (await tx.query(REWRITE)).length;
  }
}
