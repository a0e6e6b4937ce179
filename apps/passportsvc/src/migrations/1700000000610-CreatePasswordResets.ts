import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePasswordResets1700000000610 implements MigrationInterface {
  name = 'CreatePasswordResets1700000000610';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE password_reset (
        token_hash text PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX password_reset_user ON password_reset (user_id)`);
    await runner.query(`CREATE INDEX password_reset_expiry ON password_reset (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE password_reset`);
  }
}
