import type { MigrationInterface, QueryRunner } from 'typeorm';

// `position` is the order of creation, also of what one request made; times are not fine enough for that.
const AUTHORSHIP = `
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  created_by_id text NOT NULL,
  updated_by_id text NOT NULL`;

const TABLES: readonly string[] = [
  `CREATE TABLE namespace (
     name text PRIMARY KEY,
     kind text NOT NULL,
     owner_id text NOT NULL,
     app_id text,
     org_id uuid,
     hidden boolean NOT NULL
   )`,
  'CREATE INDEX namespace_hidden ON namespace (name) WHERE hidden',
  `CREATE TABLE organization (
     id uuid PRIMARY KEY,
     name text NOT NULL,
     short_name text NOT NULL CONSTRAINT organization_short_name UNIQUE,
     description text NOT NULL,
     user_type text,
     namespace text NOT NULL,
     owner_id uuid,
     pending_owner_email text,
     admin_group_id uuid NOT NULL,
     configuration jsonb,
     ${AUTHORSHIP}
   )`,
  'CREATE INDEX organization_order ON organization (position)',
  'CREATE INDEX organization_pending_owner ON organization (pending_owner_email) WHERE pending_owner_email IS NOT NULL',
  `CREATE TABLE app (
     id text PRIMARY KEY,
     name text NOT NULL,
     short_name text NOT NULL,
     description text NOT NULL,
     user_type text,
     org_id uuid REFERENCES organization (id),
     owner_id uuid,
     pending_owner_email text,
     admin_group_id uuid,
     namespace text NOT NULL,
     redirect_uris text[] NOT NULL,
     authorized_origins text[] NOT NULL,
     authorized_grant_types text[] NOT NULL,
     response_mode text NOT NULL,
     client_secret_hash text,
     whitelisted_apps text[] NOT NULL,
     first_party boolean NOT NULL,
     home text,
     login_theme text,
     configuration jsonb,
     ${AUTHORSHIP}
   )`,
  'CREATE INDEX app_org ON app (org_id)',
  'CREATE INDEX app_namespace ON app (namespace)',
  'CREATE INDEX app_order ON app (position)',
  'CREATE INDEX app_pending_owner ON app (pending_owner_email) WHERE pending_owner_email IS NOT NULL',
  `CREATE TABLE workspace (
     id uuid PRIMARY KEY,
     name text NOT NULL,
     short_name text NOT NULL,
     description text NOT NULL,
     user_type text,
     user_attributes jsonb NOT NULL,
     namespace text NOT NULL,
     parent_namespace text NOT NULL,
     app_id text,
     org_id uuid,
     hidden boolean NOT NULL,
     purge_requested_at timestamptz,
     ${AUTHORSHIP}
   )`,
  'CREATE INDEX workspace_namespace ON workspace (namespace)',
  'CREATE INDEX workspace_parent ON workspace (parent_namespace, position)',
  'CREATE INDEX workspace_app ON workspace (app_id)',
  'CREATE INDEX workspace_org ON workspace (org_id)',
  `CREATE TABLE usergroup (
     id uuid PRIMARY KEY,
     name text NOT NULL,
     short_name text NOT NULL,
     description text NOT NULL,
     user_type text,
     user_attributes jsonb NOT NULL,
     namespace text NOT NULL,
     parent_namespace text NOT NULL,
     app_id text,
     org_id uuid,
     is_default boolean NOT NULL,
     ${AUTHORSHIP}
   )`,
  'CREATE INDEX usergroup_namespace ON usergroup (namespace)',
  'CREATE INDEX usergroup_parent ON usergroup (parent_namespace, position)',
  'CREATE INDEX usergroup_app ON usergroup (app_id)',
  'CREATE INDEX usergroup_org ON usergroup (org_id)',
  `CREATE TABLE usergroup_member (
     group_id uuid NOT NULL REFERENCES usergroup (id) ON DELETE CASCADE,
     user_id uuid NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
     joined_at timestamptz NOT NULL,
     added_by_id text NOT NULL,
     PRIMARY KEY (group_id, user_id)
   )`,
  'CREATE INDEX usergroup_member_user ON usergroup_member (user_id)',
];

export class CreateTenancy1700000000201 implements MigrationInterface {
  name = 'CreateTenancy1700000000201';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['usergroup_member', 'usergroup', 'workspace', 'app', 'organization', 'namespace']) await runner.query(`DROP TABLE ${table}`);
  }
}
