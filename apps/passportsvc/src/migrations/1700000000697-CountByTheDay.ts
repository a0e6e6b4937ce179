import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts that end at other times than a minute after their first. Replicas of the release before know the minute alone. */
export class CountByTheDay1700000000697 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE attempt_count ADD COLUMN ends_at timestamptz NOT NULL DEFAULT now() + interval '1 minute'`);
    await runner.query(`CREATE INDEX attempt_count_ends_at ON attempt_count (ends_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE attempt_count DROP COLUMN ends_at`);
  }
}
