import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddConfirmations1700000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A mail that asks an address waits among the notifications; no trigger made it.
    await runner.query(`ALTER TABLE notification ADD COLUMN purpose text NOT NULL DEFAULT 'EVENT', ALTER COLUMN trigger_id DROP NOT NULL`);
    // What went to an address, by a keyed hash of it: limits hold over all namespaces and replicas, and outlive a purge.
    await runner.query('CREATE TABLE counted_message (key text NOT NULL, message_id uuid NOT NULL, counted_at timestamptz NOT NULL, PRIMARY KEY (key, message_id))');
    await runner.query('CREATE INDEX counted_message_age ON counted_message (counted_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE counted_message');
    await runner.query(`DELETE FROM notification WHERE purpose <> 'EVENT'`);
    await runner.query('ALTER TABLE notification DROP COLUMN purpose, ALTER COLUMN trigger_id SET NOT NULL');
  }
}
