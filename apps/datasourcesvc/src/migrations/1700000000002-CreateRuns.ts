import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATES = `('QUEUED', 'RUNNING', 'REQUEST_CANCEL', 'COMPLETED', 'ERROR', 'CANCELLED')`;

/** A run keeps copies of its orchestrator's steps, so that it ends as it began whatever becomes of the orchestrator. */
export class CreateRuns1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE orchestrator_run (
        id uuid PRIMARY KEY,
        orchestrator_id uuid NOT NULL,
        name text NOT NULL,
        description text,
        namespaces text[] NOT NULL,
        user_type text,
        state text NOT NULL CHECK (state IN ${STATES}),
        result jsonb,
        instant boolean NOT NULL,
        permission_profile_id text,
        timeout_ms integer,
        starter jsonb NOT NULL,
        request_id text NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        started_at timestamptz,
        lease_owner uuid,
        lease_token bigint NOT NULL DEFAULT 0,
        lease_until timestamptz,
        takeovers integer NOT NULL DEFAULT 0
      )`);
    await runner.query('CREATE INDEX orchestrator_run_namespaces ON orchestrator_run USING gin (namespaces)');
    await runner.query('CREATE INDEX orchestrator_run_created ON orchestrator_run (created_at, id)');
    await runner.query(`CREATE INDEX orchestrator_run_due ON orchestrator_run (created_at, id) WHERE state IN ('QUEUED', 'RUNNING', 'REQUEST_CANCEL')`);
    await runner.query(`
      CREATE TABLE orchestrator_run_step (
        id uuid PRIMARY KEY,
        run_id uuid NOT NULL REFERENCES orchestrator_run ON DELETE CASCADE,
        position integer NOT NULL,
        step_id uuid NOT NULL,
        component_id uuid NOT NULL,
        name text NOT NULL,
        sequence_no integer NOT NULL,
        actual_params jsonb NOT NULL,
        run_params jsonb,
        state text NOT NULL CHECK (state IN ${STATES}),
        status_message text NOT NULL DEFAULT '',
        result jsonb,
        progress jsonb,
        UNIQUE (run_id, position)
      )`);
    await runner.query(`
      CREATE TABLE orchestrator_run_log (
        run_id uuid NOT NULL REFERENCES orchestrator_run ON DELETE CASCADE,
        position bigint GENERATED ALWAYS AS IDENTITY,
        at timestamptz NOT NULL,
        level text NOT NULL,
        message text NOT NULL,
        PRIMARY KEY (run_id, position)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE orchestrator_run_log, orchestrator_run_step, orchestrator_run');
  }
}
