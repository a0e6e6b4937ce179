import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs are listed by orchestrator, and those of one that is deleted are cancelled. */
export class RunsOfOrchestrators1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX orchestrator_run_of_orchestrator ON orchestrator_run (orchestrator_id, created_at, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX orchestrator_run_of_orchestrator');
  }
}
