import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which request a job follows from; those from before name none. */
export class JobRequestIds1700000000080 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE job ADD COLUMN request_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE job DROP COLUMN request_id');
  }
}
