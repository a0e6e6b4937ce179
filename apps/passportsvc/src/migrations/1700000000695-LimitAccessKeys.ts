import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of keys that are there nobody knows what made them: it may have been a token that only read, so that is all that they do from now on. */
export class LimitAccessKeys1700000000695 implements MigrationInterface {
  name = 'LimitAccessKeys1700000000695';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE access_key ADD COLUMN scopes text[] NOT NULL DEFAULT '{read}', ADD COLUMN app_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE access_key DROP COLUMN scopes, DROP COLUMN app_id`);
  }
}
