import type { PoolClient } from 'pg';

/** The tables of the log, in the one database that all services share. Each statement may be run again. */
const TABLES = [
  // The number of partitions is that of the first start: a key must stay in its partition.
  `CREATE TABLE IF NOT EXISTS event_layout (
     single boolean PRIMARY KEY DEFAULT true CHECK (single),
     partitions integer NOT NULL CHECK (partitions BETWEEN 1 AND 64)
   )`,
  // The row of a partition is locked by each append until it commits: positions are dense and in the order of commits.
  `CREATE TABLE IF NOT EXISTS event_heads (
     topic text NOT NULL,
     partition integer NOT NULL,
     last bigint NOT NULL DEFAULT 0,
     PRIMARY KEY (topic, partition)
   )`,
  `CREATE TABLE IF NOT EXISTS event_log (
     topic text NOT NULL,
     partition integer NOT NULL,
     position bigint NOT NULL,
     event jsonb NOT NULL,
     appended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     PRIMARY KEY (topic, partition, position)
   )`,
  `CREATE TABLE IF NOT EXISTS event_positions (
     consumer_group text NOT NULL,
     topic text NOT NULL,
     partition integer NOT NULL,
     position bigint NOT NULL,
     attempts integer NOT NULL DEFAULT 0,
     retry_at timestamptz NOT NULL DEFAULT '-infinity',
     claim bigint NOT NULL DEFAULT 0,
     claimed_at timestamptz NOT NULL DEFAULT '-infinity',
     leased_until timestamptz NOT NULL DEFAULT '-infinity',
     PRIMARY KEY (consumer_group, topic, partition)
   )`,
  `CREATE TABLE IF NOT EXISTS event_dead_letters (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     consumer_group text NOT NULL,
     topic text NOT NULL,
     event jsonb NOT NULL,
     cause text NOT NULL,
     failed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     replay boolean NOT NULL DEFAULT false,
     leased_until timestamptz NOT NULL DEFAULT '-infinity'
   )`,
  'CREATE INDEX IF NOT EXISTS event_dead_letters_replay ON event_dead_letters (consumer_group, id) WHERE replay',
];

const TABLES_LOCK = 727_003;

/** Makes what is missing, one process after the other, and answers with the number of partitions in force. */
export async function prepareEventLog(client: PoolClient, partitions: number): Promise<number> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [TABLES_LOCK]);
    for (const statement of TABLES) await client.query(statement);
    await client.query('INSERT INTO event_layout (partitions) VALUES ($1) ON CONFLICT DO NOTHING', [partitions]);
    const { rows } = await client.query<{ partitions: number }>('SELECT partitions FROM event_layout');
    await client.query('COMMIT');
    return rows[0]?.partitions ?? partitions;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
