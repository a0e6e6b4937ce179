import type { Pool } from 'pg';
import type { CloudEvent } from '../../contract/cloud-event';
import type { BusMessage } from '../event-bus';
import { partitionOf } from './partition';

export const CHANNEL = 'twinyard_events';

/** One statement, hence one short transaction. Partitions are locked in one order, so that two appends cannot wait for each other. */
export const APPEND = `
  WITH given AS MATERIALIZED (
    SELECT e.value ->> 'topic' AS topic, (e.value ->> 'partition')::int AS partition, e.value -> 'event' AS event, e.ordinality AS place
    FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY e
  ), counted AS (
    SELECT topic, partition, count(*) AS events FROM given GROUP BY topic, partition ORDER BY topic, partition
  ), heads AS (
    INSERT INTO event_heads AS h (topic, partition, last) SELECT topic, partition, events FROM counted
    ON CONFLICT (topic, partition) DO UPDATE SET last = h.last + excluded.last
    RETURNING h.topic, h.partition, h.last
  ), stored AS (
    INSERT INTO event_log (topic, partition, position, event)
    SELECT g.topic, g.partition,
           h.last - count(*) OVER (PARTITION BY g.topic, g.partition) + row_number() OVER (PARTITION BY g.topic, g.partition ORDER BY g.place),
           g.event
    FROM given g JOIN heads h ON h.topic = g.topic AND h.partition = g.partition
  )
  SELECT pg_notify('${CHANNEL}', topic) FROM (SELECT DISTINCT topic FROM given) AS topics`;

export interface LoggedEvent {
  readonly position: number;
  readonly event: CloudEvent;
}

/** Events by topic and partition, in the order of their commits. */
export class EventLog {
  constructor(private readonly pool: Pool) {}

  async append(messages: readonly BusMessage[], partitions: number): Promise<void> {
    await this.pool.query(APPEND, [appendParameter(messages, partitions)]);
  }

  /** The oldest events behind `position`. */
  async read(topic: string, partition: number, position: number, limit: number): Promise<LoggedEvent[]> {
    const { rows } = await this.pool.query<{ position: string; event: CloudEvent }>(
      'SELECT position, event FROM event_log WHERE topic = $1 AND partition = $2 AND position > $3 ORDER BY position LIMIT $4',
      [topic, partition, position, limit],
    );
    return rows.map((row) => ({ position: Number(row.position), event: row.event }));
  }

  /** Deletes what is older than `before` and what every group of the topic has passed. */
  async prune(before: Date): Promise<number> {
    const { rowCount } = await this.pool.query(
      `DELETE FROM event_log l USING event_heads h
       WHERE l.topic = h.topic AND l.partition = h.partition AND l.appended_at < $1
         AND l.position <= COALESCE((SELECT min(p.position) FROM event_positions p WHERE p.topic = h.topic AND p.partition = h.partition), h.last)`,
      [before],
    );
    return rowCount ?? 0;
  }
}

export function appendParameter(messages: readonly BusMessage[], partitions: number): string {
  return JSON.stringify(messages.map(({ topic, event }) => ({ topic, partition: partitionOf(event.partitionkey, partitions), event })));
}
