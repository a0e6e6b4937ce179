import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // Contents that come in pieces. A row outlives its file until the sweep has removed the bytes.
  `CREATE TABLE resumable_upload (
     id uuid PRIMARY KEY,
     file_id uuid NOT NULL,
     -- Ids that the version and its blob will have.
     version_id uuid NOT NULL,
     blob_key text NOT NULL,
     size bigint NOT NULL,
     -- Hex SHA-256 of the whole, as announced.
     checksum text NOT NULL,
     content_type text NOT NULL,
     content_encoding text,
     tags text[],
     -- How far it has come, in the words of the object store.
     received jsonb NOT NULL,
     created_at timestamptz(3) NOT NULL,
     created_by_id text NOT NULL,
     expires_at timestamptz(3) NOT NULL,
     -- Whoever writes now.
     lease_owner uuid,
     lease_until timestamptz(3),
     UNIQUE (file_id, checksum)
   )`,
  'CREATE INDEX resumable_upload_expires_at ON resumable_upload (expires_at)',
];

export class ResumableUploads1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE resumable_upload');
  }
}
