import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateInvites1700000000404 implements MigrationInterface {
  name = 'CreateInvites1700000000404';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE invite (
        id uuid PRIMARY KEY,
        group_id uuid NOT NULL REFERENCES usergroup ON DELETE CASCADE,
        email text NOT NULL,
        app_id text NOT NULL,
        params jsonb NOT NULL,
        status text NOT NULL,
        expires_at timestamptz NOT NULL,
        remind_at timestamptz,
        position bigint GENERATED ALWAYS AS IDENTITY,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        updated_by_id text NOT NULL
      )`);
    await runner.query(`CREATE INDEX invite_group ON invite (group_id, position)`);
    await runner.query(`CREATE INDEX invite_email ON invite (email, position)`);
    await runner.query(`CREATE INDEX invite_expiry ON invite (expires_at) WHERE status = 'PENDING'`);
    await runner.query(`CREATE INDEX invite_reminder ON invite (remind_at) WHERE status = 'PENDING'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE invite`);
  }
}
