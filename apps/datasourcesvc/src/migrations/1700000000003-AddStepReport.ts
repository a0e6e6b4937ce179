import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a step tells of how far it is, apart from what it keeps to go on from. */
export class AddStepReport1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator_run_step ADD COLUMN report jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator_run_step DROP COLUMN report');
  }
}
