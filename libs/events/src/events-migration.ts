import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of outbox and inbox, in the database of each service that publishes or handles events. Services on TypeORM list
 * `EventsTables1700000000000` among their migrations; others run these statements, which may be run again.
 */
export const EVENTS_TABLES: readonly string[] = [
  // One row per aggregate that ever published: its lock makes the order of numbers the order of commits.
  `CREATE TABLE IF NOT EXISTS event_sequences (
     topic text NOT NULL,
     key text NOT NULL,
     last bigint NOT NULL,
     PRIMARY KEY (topic, key)
   )`,
  `CREATE TABLE IF NOT EXISTS event_outbox (
     position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     topic text NOT NULL,
     key text NOT NULL,
     event jsonb NOT NULL,
     leased_by text,
     leased_until timestamptz
   )`,
  // Finds out whether an older event of the same key is still under somebody's lease.
  'CREATE INDEX IF NOT EXISTS event_outbox_leases ON event_outbox (topic, key, position) WHERE leased_by IS NOT NULL',
  `CREATE TABLE IF NOT EXISTS event_inbox (
     handler text NOT NULL,
     event_id uuid NOT NULL,
     handled_at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (handler, event_id)
   )`,
  'CREATE INDEX IF NOT EXISTS event_inbox_handled_at ON event_inbox (handled_at)',
];

export class EventsTables1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of EVENTS_TABLES) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS event_outbox, event_sequences, event_inbox');
  }
}
