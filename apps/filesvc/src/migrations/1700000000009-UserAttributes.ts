import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `json`, which keeps a text as it is: `jsonb` refuses some that JSON allows. Replicas of the release before write rows without it. */
export class UserAttributes1700000000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE file ADD COLUMN user_attributes json NOT NULL DEFAULT '{}'`);
    await runner.query('ALTER TABLE resumable_upload ADD COLUMN user_attributes json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE resumable_upload DROP COLUMN user_attributes');
    await runner.query('ALTER TABLE file DROP COLUMN user_attributes');
  }
}
