import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddRunUsage1700000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator_run ADD COLUMN requests bigint NOT NULL DEFAULT 0, ADD COLUMN bytes bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator_run DROP COLUMN requests, DROP COLUMN bytes');
  }
}
