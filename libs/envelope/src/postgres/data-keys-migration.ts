import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Made in the database of every service that seals on PostgreSQL. */
export class DataKeysTable1700000000640 implements MigrationInterface {
  name = 'DataKeysTable1700000000640';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE data_key (
        id text COLLATE "C" PRIMARY KEY,
        namespace text NOT NULL,
        version integer NOT NULL CHECK (version > 0),
        wrapped text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (namespace, version)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE data_key');
  }
}
