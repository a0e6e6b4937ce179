import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateMeasurements1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What each measured thing (a file, a version, a collection …) last said of itself, and the number of the event that said it.
    await runner.query(`
      CREATE TABLE measurement (
        subject text PRIMARY KEY,
        owner text NOT NULL,
        sequence bigint NOT NULL,
        contributions jsonb NOT NULL
      )`);
    await runner.query('CREATE INDEX measurement_owner ON measurement (owner)');
    // The values of a series over time. A dimension that a series sums over is the empty text.
    await runner.query(`
      CREATE TABLE point (
        metric text NOT NULL,
        namespace text NOT NULL,
        outer_dimension text NOT NULL,
        inner_dimension text NOT NULL,
        hour timestamptz NOT NULL,
        value bigint NOT NULL,
        PRIMARY KEY (metric, namespace, outer_dimension, inner_dimension, hour)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE point');
    await runner.query('DROP TABLE measurement');
  }
}
