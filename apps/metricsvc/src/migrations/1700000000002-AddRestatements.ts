import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddRestatements1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The hours in which a thing was made and last changed: where its values stand when the series are computed anew.
    await runner.query('ALTER TABLE measurement ADD COLUMN made_at timestamptz, ADD COLUMN changed_at timestamptz');
    // A rebuild has taken over all that there was of an owner after its event number `sequence`: earlier events say nothing any more.
    await runner.query(`
      CREATE TABLE restatement (
        owner text PRIMARY KEY,
        sequence bigint NOT NULL,
        rebuild uuid NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE restatement');
    await runner.query('ALTER TABLE measurement DROP COLUMN made_at, DROP COLUMN changed_at');
  }
}
