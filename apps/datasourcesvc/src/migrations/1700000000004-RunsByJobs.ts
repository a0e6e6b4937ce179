import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RunsByJobs1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Runs have jobs: replicas of the release before, which look for leases that have ended, take none that is made from now on.
    await runner.query(`ALTER TABLE orchestrator_run ALTER COLUMN lease_until SET DEFAULT 'infinity'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator_run ALTER COLUMN lease_until DROP DEFAULT');
    await runner.query(`UPDATE orchestrator_run SET lease_until = NULL WHERE lease_until = 'infinity'`);
  }
}
