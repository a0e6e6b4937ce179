import type { MigrationInterface, QueryRunner } from 'typeorm';

const CONSTRAINT = 'resumable_upload_file_id_checksum_key';

/**
 * An upload that has expired, or was given up, waits for the sweep; the same content may begin again meanwhile. Of those that go on, a
 * file has one with a checksum: whoever begins one holds the file's lock.
 */
export class UploadsAgain1700000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE resumable_upload DROP CONSTRAINT ${CONSTRAINT}`);
    await runner.query('CREATE INDEX resumable_upload_file ON resumable_upload (file_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX resumable_upload_file');
    await runner.query(`ALTER TABLE resumable_upload ADD CONSTRAINT ${CONSTRAINT} UNIQUE (file_id, checksum)`);
  }
}
