import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Users that an identity provider keeps by SCIM. A user name is unique without regard to case; whoever has none is known by the
 * e-mail address, so the two share one index. `document` holds what SCIM knows and the account does not.
 */
export class ProvisionUsers1700000000630 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_user ADD user_name text');
    await runner.query('ALTER TABLE app_user ADD user_name_key text NOT NULL GENERATED ALWAYS AS (lower(coalesce(user_name, email))) STORED');
    await runner.query('CREATE UNIQUE INDEX app_user_name ON app_user (user_name_key)');
    await runner.query(`CREATE TABLE scim_user (
      user_id uuid PRIMARY KEY REFERENCES app_user (id) ON DELETE CASCADE,
      org_id uuid,
      document jsonb NOT NULL
    )`);
    await runner.query('CREATE INDEX scim_user_organization ON scim_user (org_id, user_id)');
    await runner.query(`CREATE INDEX scim_user_external_id ON scim_user ((document ->> 'externalId'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE scim_user');
    await runner.query('DROP INDEX app_user_name');
    await runner.query('ALTER TABLE app_user DROP user_name_key, DROP user_name');
  }
}
