import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateReconciliation1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // How far the reconciliation has come: one row, so that a round goes on where another process, or this one before it was killed, has left it.
    await runner.query(`
      CREATE TABLE reconciliation (
        single boolean PRIMARY KEY DEFAULT true CHECK (single),
        state jsonb NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE reconciliation');
  }
}
