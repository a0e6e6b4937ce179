import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePermissionProfiles1700000000401 implements MigrationInterface {
  name = 'CreatePermissionProfiles1700000000401';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE permission_profile (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        user_type text NOT NULL,
        namespaces text[] NOT NULL,
        position bigint GENERATED ALWAYS AS IDENTITY,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        updated_by_id text NOT NULL
      )`);
    await runner.query(`CREATE INDEX permission_profile_namespaces ON permission_profile USING gin (namespaces)`);
    // A profile may be known in several namespaces; its name is unique in each.
    await runner.query(`
      CREATE TABLE permission_profile_name (
        namespace text NOT NULL,
        name text NOT NULL,
        profile_id uuid NOT NULL REFERENCES permission_profile ON DELETE CASCADE,
        PRIMARY KEY (namespace, name)
      )`);
    await runner.query(`CREATE INDEX permission_profile_name_profile ON permission_profile_name (profile_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE permission_profile_name`);
    await runner.query(`DROP TABLE permission_profile`);
  }
}
