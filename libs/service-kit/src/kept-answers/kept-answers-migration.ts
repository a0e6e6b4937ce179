import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table of `SqlAnswerStore`, in the database of each service. */
export class KeptAnswersTable1700000000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE kept_answers (
        id text PRIMARY KEY,
        owner uuid NOT NULL,
        fingerprint text NOT NULL,
        leased_until timestamptz NOT NULL,
        claimed_at timestamptz NOT NULL,
        sealed bytea
      )`);
    await runner.query('CREATE INDEX kept_answers_claimed ON kept_answers (claimed_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE kept_answers');
  }
}
