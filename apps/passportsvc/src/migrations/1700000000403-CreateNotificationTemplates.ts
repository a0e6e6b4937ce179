import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateNotificationTemplates1700000000403 implements MigrationInterface {
  name = 'CreateNotificationTemplates1700000000403';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE notification_template (
        id uuid PRIMARY KEY,
        app_id text NOT NULL REFERENCES app ON DELETE CASCADE,
        name text NOT NULL,
        title text NOT NULL,
        message text NOT NULL,
        locale text NOT NULL,
        format text NOT NULL,
        position bigint GENERATED ALWAYS AS IDENTITY,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        updated_by_id text NOT NULL,
        UNIQUE (app_id, name, locale)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE notification_template`);
  }
}
