import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails that are to be sent: written in the transaction of what they tell of, removed when a mail server has taken them. */
export class CreateMails1700000000402 implements MigrationInterface {
  name = 'CreateMails1700000000402';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mail (
        id uuid PRIMARY KEY,
        recipient text NOT NULL,
        subject text NOT NULL,
        body text NOT NULL,
        html boolean NOT NULL,
        due_at timestamptz NOT NULL DEFAULT now(),
        attempts int NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX mail_due ON mail (due_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE mail`);
  }
}
