import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is dear and open to anybody, by who asks for it, over all replicas. */
export class CountAttempts1700000000696 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE attempt_count (key text PRIMARY KEY, count integer NOT NULL, since timestamptz NOT NULL)`);
    await runner.query(`CREATE INDEX attempt_count_since ON attempt_count (since)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE attempt_count`);
  }
}
