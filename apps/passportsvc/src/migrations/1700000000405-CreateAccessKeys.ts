import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAccessKeys1700000000405 implements MigrationInterface {
  name = 'CreateAccessKeys1700000000405';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE access_key (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
        name text NOT NULL,
        secret_hash text NOT NULL,
        expires_at timestamptz,
        position bigint GENERATED ALWAYS AS IDENTITY,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX access_key_user ON access_key (user_id, position)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE access_key`);
  }
}
