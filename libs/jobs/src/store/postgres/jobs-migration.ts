import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table of `SqlJobStore`, in the database of each service that has jobs. */
export class Jobs1700000000060 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Of all claims: a job that is gone and enqueued again under its key does not begin to count anew.
    await runner.query('CREATE SEQUENCE job_token');
    // WAITING is due later, READY is due; apart, so that who looks for the next namespace passes over nothing that is not due.
    await runner.query(`
      CREATE TABLE job (
        id text PRIMARY KEY,
        kind text NOT NULL,
        namespace text COLLATE "C" NOT NULL,
        payload json NOT NULL,
        state text NOT NULL CHECK (state IN ('WAITING', 'READY', 'RUNNING', 'DEAD')),
        position bigint GENERATED ALWAYS AS IDENTITY,
        due_at timestamptz NOT NULL,
        attempts int NOT NULL DEFAULT 0,
        token bigint NOT NULL DEFAULT 0,
        leased_until timestamptz,
        again boolean NOT NULL DEFAULT false,
        cause text,
        died_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`);
    await runner.query(`CREATE INDEX job_ready ON job (kind, namespace, due_at, position) WHERE state = 'READY'`);
    await runner.query(`CREATE INDEX job_due ON job (kind, due_at) WHERE state = 'WAITING'`);
    await runner.query(`CREATE INDEX job_waiting ON job (kind, namespace, due_at) WHERE state = 'WAITING'`);
    // Without the time, so that a heartbeat changes no index: few run at a time.
    await runner.query(`CREATE INDEX job_running ON job (kind) WHERE state = 'RUNNING'`);
    await runner.query(`CREATE INDEX job_dead ON job (kind, died_at) WHERE state = 'DEAD'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE job');
    await runner.query('DROP SEQUENCE job_token');
  }
}
