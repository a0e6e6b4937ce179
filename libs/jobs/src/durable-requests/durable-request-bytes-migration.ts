import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Large payloads and answers as packed bytes (`packed-json.ts`). To be listed with `DurableRequestsTable1700000000010`. */
export class DurableRequestBytes1700000000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE durable_requests ADD COLUMN packed_payload bytea, ADD COLUMN packed_response bytea');
    // The server need not try to compress what is compressed.
    await runner.query('ALTER TABLE durable_requests ALTER COLUMN packed_payload SET STORAGE EXTERNAL, ALTER COLUMN packed_response SET STORAGE EXTERNAL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE durable_requests DROP COLUMN packed_payload, DROP COLUMN packed_response');
  }
}
