import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a payload could not be read. */
export class JobReadings1700000000070 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE job ADD COLUMN unread int NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE job DROP COLUMN unread');
  }
}
