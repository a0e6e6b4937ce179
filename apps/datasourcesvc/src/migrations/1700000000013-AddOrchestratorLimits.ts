import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddOrchestratorLimits1700000000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator ADD COLUMN max_concurrent integer, ADD COLUMN paused boolean NOT NULL DEFAULT false');
    // What runs and what waits, however many have ended.
    await runner.query(`CREATE INDEX orchestrator_run_open ON orchestrator_run (orchestrator_id, state) WHERE state IN ('QUEUED', 'RUNNING', 'REQUEST_CANCEL')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX orchestrator_run_open');
    await runner.query('ALTER TABLE orchestrator DROP COLUMN max_concurrent, DROP COLUMN paused');
  }
}
