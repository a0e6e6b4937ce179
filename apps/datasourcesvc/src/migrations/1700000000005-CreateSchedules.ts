import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSchedules1700000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE orchestrator_schedule (
        id uuid PRIMARY KEY,
        orchestrator_id uuid NOT NULL CONSTRAINT orchestrator_schedule_only UNIQUE REFERENCES orchestrator ON DELETE CASCADE,
        namespaces text[] NOT NULL,
        run_interval text,
        cron text,
        timezone text,
        enabled boolean NOT NULL,
        overlap text NOT NULL CHECK (overlap IN ('SKIP', 'QUEUE', 'ALLOW')),
        catch_up text NOT NULL CHECK (catch_up IN ('ONE', 'NONE', 'ALL')),
        actual_params jsonb NOT NULL,
        writer jsonb NOT NULL,
        next_due_at timestamptz,
        refusals integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        updated_by_id text NOT NULL,
        CHECK ((run_interval IS NULL) <> (cron IS NULL)),
        CHECK ((cron IS NULL) = (timezone IS NULL))
      )`);
    await runner.query('CREATE INDEX orchestrator_schedule_namespaces ON orchestrator_schedule USING gin (namespaces)');
    await runner.query('ALTER TABLE orchestrator_run ADD COLUMN schedule_id uuid, ADD COLUMN schedule_due_at timestamptz, ADD COLUMN in_turn boolean NOT NULL DEFAULT false');
    // A due time makes one run, whoever makes it.
    await runner.query('CREATE UNIQUE INDEX orchestrator_run_due_once ON orchestrator_run (schedule_id, schedule_due_at) WHERE schedule_id IS NOT NULL');
    await runner.query(`CREATE INDEX orchestrator_run_open_of_schedule ON orchestrator_run (schedule_id, schedule_due_at)
      WHERE schedule_id IS NOT NULL AND state IN ('QUEUED', 'RUNNING', 'REQUEST_CANCEL')`);
    // The class follows from whether there is a schedule; replicas of the release before still write the column.
    await runner.query(`ALTER TABLE orchestrator ALTER COLUMN class SET DEFAULT 'NORMAL'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orchestrator ALTER COLUMN class DROP DEFAULT');
    await runner.query('ALTER TABLE orchestrator_run DROP COLUMN schedule_id, DROP COLUMN schedule_due_at, DROP COLUMN in_turn');
    await runner.query('DROP TABLE orchestrator_schedule');
  }
}
