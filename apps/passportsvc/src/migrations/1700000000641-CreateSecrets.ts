import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSecrets1700000000641 implements MigrationInterface {
  name = 'CreateSecrets1700000000641';

  async up(runner: QueryRunner): Promise<void> {
    // The reference keeps a data key for as long as anything lies under it, and nothing is sealed under one that is gone.
    await runner.query(`
      CREATE TABLE secret (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        description text NOT NULL,
        user_type text,
        namespaces text[] NOT NULL CHECK (namespaces <> '{}'),
        sealed text NOT NULL,
        data_key_id text COLLATE "C" NOT NULL CONSTRAINT secret_data_key REFERENCES data_key,
        revision integer NOT NULL,
        position bigint GENERATED ALWAYS AS IDENTITY,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        updated_by_id text NOT NULL
      )`);
    await runner.query(`CREATE INDEX secret_namespaces ON secret USING gin (namespaces)`);
    await runner.query(`CREATE INDEX secret_by_data_key ON secret (data_key_id, id)`);
    // A secret may be known in several namespaces; its name is unique in each.
    await runner.query(`
      CREATE TABLE secret_name (
        namespace text NOT NULL,
        name text NOT NULL,
        secret_id uuid NOT NULL REFERENCES secret ON DELETE CASCADE,
        PRIMARY KEY (namespace, name)
      )`);
    await runner.query(`CREATE INDEX secret_name_secret ON secret_name (secret_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE secret_name`);
    await runner.query(`DROP TABLE secret`);
  }
}
