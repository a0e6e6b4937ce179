import type { MigrationInterface, QueryRunner } from 'typeorm';

export class QueueResetRequests1700000000611 implements MigrationInterface {
  name = 'QueueResetRequests1700000000611';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE reset_request (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        email text NOT NULL,
        language text NOT NULL,
        requested_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE reset_request`);
  }
}
