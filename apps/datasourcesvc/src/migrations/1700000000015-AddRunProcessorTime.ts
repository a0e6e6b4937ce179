import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddRunProcessorTime1700000000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator_run ADD COLUMN processor_ms bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator_run DROP COLUMN processor_ms');
  }
}
