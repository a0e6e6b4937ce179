import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Purges that were asked for and that not every service has done yet, and which of them have. */
export class CreatePurges1700000000660 implements MigrationInterface {
  name = 'CreatePurges1700000000660';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE purge (
        namespace text PRIMARY KEY,
        irn text NOT NULL,
        parent_namespace text NOT NULL,
        asked_at timestamptz NOT NULL DEFAULT now(),
        asked_by_id text NOT NULL,
        request_id text NOT NULL,
        done_by text[] NOT NULL DEFAULT '{}'
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE purge');
  }
}
