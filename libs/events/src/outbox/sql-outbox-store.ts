import type { SqlTx } from '@twinyard/service-kit';
import type { AggregateSequence } from '../aggregates/aggregate-states';
import { topicOf } from '../contract/catalogue';
import { type CloudEvent, toCloudEvent } from '../contract/cloud-event';
import type { NewEvent } from '../contract/event';
import type { Topic } from '../contract/topics';
import { type OutboxClaim, type OutboxEntry, OutboxStore } from './outbox-store';

/**
 * `event_sequences` is written first and its row locks last until the end of the transaction: a second writer of the same key waits
 * there, and takes both its number and its position only after the first has committed. Keys are locked in one order, so that two
 * bulk writes cannot wait for each other.
 */
const APPEND = `
  WITH given AS MATERIALIZED (
    SELECT e.value ->> 'topic' AS topic, e.value ->> 'key' AS key, e.value -> 'event' AS event, e.ordinality AS place
    FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY e
  ), counted AS (
    SELECT topic, key, count(*) AS events FROM given GROUP BY topic, key ORDER BY topic, key
  ), numbered AS (
    INSERT INTO event_sequences AS s (topic, key, last) SELECT topic, key, events FROM counted
    ON CONFLICT (topic, key) DO UPDATE SET last = s.last + excluded.last
    RETURNING s.topic, s.key, s.last
  ), placed AS (
    SELECT g.*, n.last - count(*) OVER (PARTITION BY g.topic, g.key)
                + row_number() OVER (PARTITION BY g.topic, g.key ORDER BY g.place) AS sequence
    FROM given g JOIN numbered n ON n.topic = g.topic AND n.key = g.key
  )
  INSERT INTO event_outbox (topic, key, event)
  SELECT topic, key, jsonb_set(event, '{sequence}', to_jsonb(lpad(sequence::text, 20, '0'))) FROM placed ORDER BY place`;

/** Claims are made one at a time, or two relays could take two events of one key, each without seeing the other's lease. */
const CLAIM_LOCK = 727_002;

/**
 * The start of the statement, for all of its rows. A clock that is read anew for each row finds a lease valid at one event and over at the
 * next: the second one would be claimed, and published before the first.
 */
const NOW = 'statement_timestamp()';
const IN = (parameter: string) => `${NOW} + ${parameter} * interval '1 millisecond'`;

const CLAIM = `
  UPDATE event_outbox SET leased_by = $1, leased_until = ${IN('$2')}
  WHERE position IN (
    SELECT o.position FROM event_outbox o
    WHERE (o.leased_by IS NULL OR o.leased_by = $1 OR o.leased_until < ${NOW})
      AND NOT EXISTS (
        SELECT 1 FROM event_outbox older
        WHERE older.topic = o.topic AND older.key = o.key AND older.position < o.position
          AND older.leased_by IS NOT NULL AND older.leased_by <> $1 AND older.leased_until >= ${NOW})
    ORDER BY o.position LIMIT $3)
  RETURNING position, topic, event`;

interface Row {
  readonly position: string;
  readonly topic: Topic;
  readonly event: CloudEvent;
}

/** The outbox in a PostgreSQL database, whichever library opened the transaction. */
export class SqlOutboxStore extends OutboxStore<SqlTx> {
  override async append(tx: SqlTx, events: readonly NewEvent[]): Promise<void> {
    const rows = events.map((event) => ({ topic: topicOf(event.resource.type), key: event.key, event: toCloudEvent(event, 0) }));
    await tx.preparedLater(APPEND, [JSON.stringify(rows)]);
  }

  override async claim(tx: SqlTx, { owner, leaseMs, limit }: OutboxClaim): Promise<OutboxEntry[]> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK]);
    const rows = await tx.query<Row>(CLAIM, [owner, leaseMs, limit]);
    return rows.sort((one, other) => Number(one.position) - Number(other.position));
  }

  override async renew(tx: SqlTx, owner: string, leaseMs: number): Promise<void> {
    await tx.query(`UPDATE event_outbox SET leased_until = ${IN('$2')} WHERE leased_by = $1`, [owner, leaseMs]);
  }

  override async remove(tx: SqlTx, entries: readonly OutboxEntry[]): Promise<void> {
    await tx.prepared('DELETE FROM event_outbox WHERE position = ANY($1::bigint[])', [entries.map((entry) => entry.position)]);
  }

  override async release(tx: SqlTx, owner: string): Promise<void> {
    await tx.query('UPDATE event_outbox SET leased_by = NULL, leased_until = NULL WHERE leased_by = $1', [owner]);
  }

  override async isEmpty(tx: SqlTx): Promise<boolean> {
    const rows = await tx.prepared('SELECT 1 FROM event_outbox LIMIT 1');
    return rows.length === 0;
  }

  override async backlog(tx: SqlTx): Promise<number> {
    const [row] = await tx.query<{ events: string }>('SELECT count(*) AS events FROM event_outbox');
    return Number(row?.events ?? 0);
  }

  override async sequencesOf(tx: SqlTx, topic: Topic, keys: readonly string[]): Promise<AggregateSequence[]> {
    return toSequences(await tx.query<SequenceRow>('SELECT key, last FROM event_sequences WHERE topic = $1 AND key = ANY($2)', [topic, keys]));
  }

  override async sequencesAfter(tx: SqlTx, topic: Topic, after: string, limit: number): Promise<AggregateSequence[]> {
    const sql = 'SELECT key, last FROM event_sequences WHERE topic = $1 AND key > $2 ORDER BY key LIMIT $3';
    return toSequences(await tx.query<SequenceRow>(sql, [topic, after, limit]));
  }
}

interface SequenceRow {
  readonly key: string;
  readonly last: string;
}

const toSequences = (rows: readonly SequenceRow[]) => rows.map(({ key, last }) => ({ key, sequence: Number(last) }));
