import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateUsers1700000000101 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE app_user (
      id uuid PRIMARY KEY,
      email text NOT NULL UNIQUE CHECK (email = lower(email)),
      password_hash text,
      firstname text NOT NULL DEFAULT '',
      lastname text NOT NULL DEFAULT '',
      locale text,
      disabled boolean NOT NULL DEFAULT false,
      platform_manager boolean NOT NULL DEFAULT false,
      email_verified boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      created_by_id text NOT NULL,
      updated_by_id text NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE app_user');
  }
}
