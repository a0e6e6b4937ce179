import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ForgetMeasurements1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // In which namespaces a thing was said to lie, also when it adds nothing any more: it is forgotten with the last of them.
    await runner.query(`ALTER TABLE measurement ADD COLUMN namespaces text[] NOT NULL DEFAULT '{}', ADD COLUMN ended_at timestamptz`);
    await runner.query(`
      UPDATE measurement SET namespaces = ARRAY(SELECT DISTINCT c ->> 'namespace' FROM jsonb_array_elements(contributions) c ORDER BY 1),
                             ended_at = CASE WHEN contributions = '[]' THEN now() END`);
    // What ended, and what a rebuild took over, is remembered for as long as an earlier event may still come.
    await runner.query('CREATE INDEX measurement_ended ON measurement (ended_at) WHERE ended_at IS NOT NULL');
    await runner.query('ALTER TABLE restatement ADD COLUMN restated_at timestamptz NOT NULL DEFAULT now()');
    await runner.query('CREATE INDEX restatement_age ON restatement (restated_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE restatement DROP COLUMN restated_at');
    await runner.query('ALTER TABLE measurement DROP COLUMN ended_at, DROP COLUMN namespaces');
  }
}
