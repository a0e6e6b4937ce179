import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddStepRetries1700000000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE orchestrator_run_step ADD COLUMN retry jsonb, ADD COLUMN timeout_ms integer, ADD COLUMN attempts integer NOT NULL DEFAULT 0, ADD COLUMN retry_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator_run_step DROP COLUMN retry, DROP COLUMN timeout_ms, DROP COLUMN attempts, DROP COLUMN retry_at');
  }
}
