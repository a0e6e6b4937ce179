import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pictures are ordered as jobs. The table of orders stays until no replica of the release before writes into it. */
export class PreviewJobs1700000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Why there is no picture of a version, and will be none unless somebody orders it again.
    await runner.query('ALTER TABLE file_version ADD COLUMN no_preview text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO preview_task (version_id, state, failure, attempts, due_at, user_id, request_id)
      SELECT (payload->>'versionId')::uuid, 'PENDING', NULL, 0, now(), payload->>'userId', payload->>'requestId'
      FROM job JOIN file_version ON file_version.id::text = payload->>'versionId' WHERE kind = 'filesvc.preview' ON CONFLICT DO NOTHING`);
    await runner.query(`DELETE FROM job WHERE kind = 'filesvc.preview'`);
    await runner.query('ALTER TABLE file_version DROP COLUMN no_preview');
  }
}
