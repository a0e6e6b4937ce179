import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table of `SqlDurableRequestStore`, in the database of each service that answers 202. */
export class DurableRequestsTable1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // `json`, not `jsonb`: a payload of 10 MB is kept as the text that it came as.
    await runner.query(`
      CREATE TABLE durable_requests (
        id uuid PRIMARY KEY,
        position bigint GENERATED ALWAYS AS IDENTITY,
        kind text NOT NULL,
        caller_type text NOT NULL,
        caller_id text NOT NULL,
        context json NOT NULL,
        payload json,
        status text NOT NULL DEFAULT 'QUEUED',
        attempts int NOT NULL DEFAULT 0,
        leased_by uuid,
        leased_until timestamptz,
        response_status int,
        response_body json,
        created_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz
      )`);
    await runner.query(`CREATE INDEX durable_requests_waiting ON durable_requests (position) WHERE status IN ('QUEUED', 'RUNNING')`);
    await runner.query('CREATE INDEX durable_requests_finished ON durable_requests (finished_at) WHERE finished_at IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE durable_requests');
  }
}
