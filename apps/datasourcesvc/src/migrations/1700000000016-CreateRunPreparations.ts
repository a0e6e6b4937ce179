import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What components have looked up when a run began: whoever takes it over goes on with the same. A row is there as long as its run has not ended. */
export class CreateRunPreparations1700000000016 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE orchestrator_run_preparation (
        run_id uuid PRIMARY KEY REFERENCES orchestrator_run (id) ON DELETE CASCADE,
        prepared text NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE orchestrator_run_preparation');
  }
}
