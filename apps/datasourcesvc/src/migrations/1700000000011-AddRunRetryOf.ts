import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddRunRetryOf1700000000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator_run ADD COLUMN retry_of uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator_run DROP COLUMN retry_of');
  }
}
