import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a payload could not be read. To be listed with `Jobs1700000000060`. */
export class JobReadings1700000000070 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE job ADD COLUMN unread int NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE job DROP COLUMN unread');
  }
}
