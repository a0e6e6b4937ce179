import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOrchestrators1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE orchestrator (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        description text,
        namespaces text[] NOT NULL,
        user_type text,
        class text NOT NULL CHECK (class IN ('NORMAL', 'SCHEDULED')),
        schema_version text NOT NULL,
        instant boolean NOT NULL,
        permission_profile_id text,
        timeout text,
        steps jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        updated_by_id text NOT NULL
      )`);
    await runner.query('CREATE INDEX orchestrator_namespaces ON orchestrator USING gin (namespaces)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE orchestrator');
  }
}
