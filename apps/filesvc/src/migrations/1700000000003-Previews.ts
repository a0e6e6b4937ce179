import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // A version's picture, at most one: it can be told with the version, without another look.
  'ALTER TABLE file_version ADD COLUMN preview_id uuid',
  `CREATE TABLE preview (
     id uuid PRIMARY KEY,
     version_id uuid NOT NULL UNIQUE REFERENCES file_version ON DELETE CASCADE,
     width integer NOT NULL,
     height integer NOT NULL,
     content_type text NOT NULL,
     blob_key text NOT NULL UNIQUE,
     size bigint NOT NULL,
     sha256 text NOT NULL,
     created_at timestamptz(3) NOT NULL
   )`,
  // One row for each version, for good: a version that is announced again is not drawn again.
  `CREATE TABLE preview_task (
     version_id uuid PRIMARY KEY REFERENCES file_version ON DELETE CASCADE,
     state text NOT NULL CHECK (state IN ('PENDING', 'DONE', 'FAILED', 'NONE')),
     -- Why it failed, for operators.
     failure text,
     attempts integer NOT NULL,
     -- Not before; whoever draws moves it ahead.
     due_at timestamptz NOT NULL,
     lease_owner uuid,
     -- Whose upload it was, for the event.
     user_id text NOT NULL,
     request_id text NOT NULL
   )`,
  `CREATE INDEX preview_task_due ON preview_task (due_at) WHERE state = 'PENDING'`,
  // What was there before there were previews gets one too, the latest first.
  `INSERT INTO preview_task (version_id, state, attempts, due_at, user_id, request_id)
   SELECT id, 'PENDING', 0, now() - (created_at - (SELECT min(created_at) FROM file_version)), created_by_id, '' FROM file_version`,
];

export class Previews1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`INSERT INTO loose_blob (key, expires_at) SELECT blob_key, now() FROM preview`);
    await runner.query('DROP TABLE preview_task, preview');
    await runner.query('ALTER TABLE file_version DROP COLUMN preview_id');
  }
}
