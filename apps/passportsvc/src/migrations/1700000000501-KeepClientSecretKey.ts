import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The key that client secrets are hashed under is kept beside the others, sealed: so `KEY_ENCRYPTION_KEY` may change. */
export class KeepClientSecretKey1700000000501 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE signing_key DROP CONSTRAINT signing_key_purpose_check');
    await runner.query(`ALTER TABLE signing_key ADD CONSTRAINT signing_key_purpose_check CHECK (purpose IN ('token', 'cookie', 'client-secret'))`);
    await runner.query(`CREATE UNIQUE INDEX signing_key_client_secret ON signing_key (purpose) WHERE purpose = 'client-secret'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX signing_key_client_secret');
    await runner.query(`DELETE FROM signing_key WHERE purpose = 'client-secret'`);
    await runner.query('ALTER TABLE signing_key DROP CONSTRAINT signing_key_purpose_check');
    await runner.query(`ALTER TABLE signing_key ADD CONSTRAINT signing_key_purpose_check CHECK (purpose IN ('token', 'cookie'))`);
  }
}
