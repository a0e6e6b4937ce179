import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateTeams1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE team (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        namespaces text[] NOT NULL,
        agents jsonb NOT NULL,
        flow jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        updated_by_id text NOT NULL
      )`);
    await runner.query('CREATE INDEX team_namespaces ON team USING gin (namespaces)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE team');
  }
}
