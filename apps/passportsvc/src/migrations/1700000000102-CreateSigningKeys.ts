import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSigningKeys1700000000102 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE signing_key (
      id text PRIMARY KEY,
      purpose text NOT NULL CHECK (purpose IN ('token', 'cookie')),
      sealed text NOT NULL,
      signs_from timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE signing_key');
  }
}
