import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOidcState1700000000103 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Codes, refresh tokens, sessions and sign-ins under way. `id` is the SHA-256 of the secret that names the row.
    await runner.query(`CREATE TABLE oidc_state (
      model text NOT NULL,
      id text NOT NULL,
      payload jsonb NOT NULL,
      grant_id text,
      uid text,
      session_uid text,
      user_id text,
      consumed_at timestamptz,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (model, id)
    )`);
    await runner.query('CREATE INDEX oidc_state_grant ON oidc_state (grant_id) WHERE grant_id IS NOT NULL');
    await runner.query('CREATE INDEX oidc_state_uid ON oidc_state (uid) WHERE uid IS NOT NULL');
    await runner.query('CREATE INDEX oidc_state_session ON oidc_state (session_uid) WHERE session_uid IS NOT NULL');
    await runner.query('CREATE INDEX oidc_state_user ON oidc_state (user_id) WHERE user_id IS NOT NULL');
    await runner.query('CREATE INDEX oidc_state_expiry ON oidc_state (expires_at)');
    // Access tokens are not stored: what ended before its time is listed here until its last token would have expired.
    await runner.query(`CREATE TABLE revocation (
      kind text NOT NULL CHECK (kind IN ('session', 'authorization')),
      id text NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (kind, id)
    )`);
    await runner.query('CREATE INDEX revocation_expiry ON revocation (expires_at)');
    await runner.query(`CREATE TABLE sign_in_failure (
      key text PRIMARY KEY,
      failures integer NOT NULL,
      last_failed_at timestamptz NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE oidc_state, revocation, sign_in_failure');
  }
}
