import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdentityProviders1700000000620 implements MigrationInterface {
  name = 'CreateIdentityProviders1700000000620';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity_provider (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
        group_id uuid REFERENCES usergroup ON DELETE SET NULL,
        name text NOT NULL,
        issuer text NOT NULL,
        client_id text NOT NULL,
        sealed_secret text,
        scopes text[] NOT NULL,
        domains text[] NOT NULL,
        provision boolean NOT NULL,
        trusted boolean NOT NULL,
        position bigint GENERATED ALWAYS AS IDENTITY,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        updated_by_id text NOT NULL,
        CONSTRAINT identity_provider_name UNIQUE (org_id, name)
      )`);
    // A domain leads to one trusted provider alone.
    await runner.query(`
      CREATE TABLE identity_provider_domain (
        domain text PRIMARY KEY CHECK (domain = lower(domain)),
        provider_id uuid NOT NULL REFERENCES identity_provider ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX identity_provider_domain_provider ON identity_provider_domain (provider_id)`);
    await runner.query(`
      CREATE TABLE user_identity (
        provider_id uuid NOT NULL REFERENCES identity_provider ON DELETE CASCADE,
        subject text NOT NULL,
        user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
        agreed boolean NOT NULL,
        created_at timestamptz NOT NULL,
        last_used_at timestamptz NOT NULL,
        PRIMARY KEY (provider_id, subject)
      )`);
    await runner.query(`CREATE INDEX user_identity_user ON user_identity (user_id)`);
    await runner.query(`
      CREATE TABLE upstream_sign_in (
        id uuid PRIMARY KEY,
        provider_id uuid NOT NULL REFERENCES identity_provider ON DELETE CASCADE,
        interaction_uid text NOT NULL,
        state_hash text NOT NULL UNIQUE,
        browser_hash text NOT NULL,
        used_at timestamptz,
        outcome jsonb,
        mailed_to text,
        mailed_at timestamptz,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX upstream_sign_in_expiry ON upstream_sign_in (expires_at)`);
    await runner.query(`CREATE INDEX upstream_sign_in_mailed ON upstream_sign_in (mailed_to, mailed_at) WHERE mailed_to IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE upstream_sign_in, user_identity, identity_provider_domain, identity_provider`);
  }
}
