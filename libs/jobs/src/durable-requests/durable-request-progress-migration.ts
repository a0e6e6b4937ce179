import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far a request is, beside it. To be listed with `DurableRequestsTable1700000000010`. */
export class DurableRequestProgress1700000000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE durable_requests ADD COLUMN progress json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE durable_requests DROP COLUMN progress');
  }
}
