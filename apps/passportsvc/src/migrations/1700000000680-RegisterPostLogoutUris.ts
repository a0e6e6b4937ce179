import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where an application may have a browser sent after it has signed somebody out (OpenID Connect RP-Initiated Logout 1.0). */
export class RegisterPostLogoutUris1700000000680 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE app ADD COLUMN post_logout_redirect_uris text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app DROP COLUMN post_logout_redirect_uris');
  }
}
