import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateClients1700000000104 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE oauth_client (
      id text PRIMARY KEY,
      name text NOT NULL,
      org_id text,
      scopes text[] NOT NULL,
      trusted boolean NOT NULL DEFAULT false,
      secret_hash text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      created_by_id text NOT NULL,
      updated_by_id text NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE oauth_client');
  }
}
