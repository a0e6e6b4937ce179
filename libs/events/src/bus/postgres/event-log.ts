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

const READ = `
  SELECT given.place, found.position, found.event
  FROM unnest($1::text[], $2::int[], $3::bigint[]) WITH ORDINALITY AS given (topic, partition, position, place)
  CROSS JOIN LATERAL (
    SELECT l.position, l.event FROM event_log l
    WHERE l.topic = given.topic AND l.partition = given.partition AND l.position > given.position ORDER BY l.position LIMIT $4
  ) AS found
  ORDER BY given.place, found.position`;

export interface LogPosition {
  readonly topic: string;
  readonly partition: number;
  readonly position: number;
}

export interface LoggedEvent {
  readonly position: number;
  readonly event: CloudEvent;
}

/** Events by topic and partition, in the order of their commits. */
export class EventLog {
  constructor(private readonly pool: Pool) {}

  async append(messages: readonly BusMessage[], partitions: number): Promise<void> {
    await this.pool.query({ name: 'append', text: APPEND, values: [appendParameter(messages, partitions)] });
  }

  /** The oldest events behind the position of each of these partitions, by one look. */
  async read(partitions: readonly LogPosition[], limit: number): Promise<LoggedEvent[][]> {
    const { rows } = await this.pool.query<{ place: string; position: string; event: CloudEvent }>({
      name: 'read', text: READ,
      values: [partitions.map(({ topic }) => topic), partitions.map(({ partition }) => partition), partitions.map(({ position }) => position), limit],
    });
    const read: LoggedEvent[][] = partitions.map(() => []);
    for (const { place, position, event } of rows) read[Number(place) - 1]?.push({ position: Number(position), event });
    return read;
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
