import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePermissions1700000000301 implements MigrationInterface {
  name = 'CreatePermissions1700000000301';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE permission (
        id uuid PRIMARY KEY,
        namespace text NOT NULL,
        actions text[] NOT NULL,
        irn text NOT NULL,
        service text NOT NULL GENERATED ALWAYS AS (split_part(irn, ':', 1)) STORED,
        resource_type text NOT NULL GENERATED ALWAYS AS (split_part(irn, ':', 2)) STORED,
        resource_id text NOT NULL GENERATED ALWAYS AS (split_part(irn, ':', 3)) STORED,
        criteria jsonb,
        subresource jsonb,
        principal_type text NOT NULL,
        principal_id text NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        updated_by_id text NOT NULL
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX permission_identity ON permission
        (namespace, principal_type, principal_id, irn, coalesce(criteria, '{}'), coalesce(subresource, '{}'))`);
    await runner.query(`CREATE INDEX permission_principal ON permission (principal_type, principal_id)`);
    await runner.query(`CREATE INDEX permission_order ON permission (created_at, id)`);
    await runner.query(`
      CREATE TABLE grant_change (
        seq bigserial PRIMARY KEY,
        keys text[] NOT NULL,
        at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    // Leases mean nothing after a crash of the server, so their table need not survive it.
    await runner.query(`
      CREATE UNLOGGED TABLE grant_subscriber (
        instance uuid PRIMARY KEY,
        service text NOT NULL,
        acked_seq bigint NOT NULL,
        lease_until timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE grant_subscriber`);
    await runner.query(`DROP TABLE grant_change`);
    await runner.query(`DROP TABLE permission`);
  }
}
