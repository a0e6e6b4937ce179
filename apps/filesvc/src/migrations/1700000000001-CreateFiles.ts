import type { MigrationInterface, QueryRunner } from 'typeorm';

const AUTHORSHIP = `
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  created_by_id text NOT NULL,
  updated_by_id text NOT NULL,
  created_by_name text,
  updated_by_name text`;

const UP = [
  `CREATE TABLE file (
     id uuid PRIMARY KEY,
     -- The order of creation, which is the order of lists.
     position bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
     name text NOT NULL,
     type text NOT NULL CHECK (type IN ('dir', 'file')),
     namespaces text[] NOT NULL CHECK (cardinality(namespaces) > 0),
     parent_id uuid REFERENCES file ON DELETE CASCADE,
     tags text[] NOT NULL,
     status text NOT NULL CHECK (status IN ('UPLOAD_PENDING', 'UPLOADING', 'UPLOAD_COMPLETED', 'UPLOAD_FAILED')),
     tip_id uuid,
     next_version integer NOT NULL,
     revision integer NOT NULL,
     ${AUTHORSHIP}
   )`,
  'CREATE INDEX file_parent ON file (parent_id, position)',
  'CREATE INDEX file_namespaces ON file USING gin (namespaces)',
  'CREATE INDEX file_name ON file (name)',

  `CREATE TABLE file_version (
     id uuid PRIMARY KEY,
     file_id uuid NOT NULL REFERENCES file ON DELETE CASCADE,
     number integer NOT NULL,
     size bigint NOT NULL,
     sha256 text NOT NULL,
     content_type text NOT NULL,
     content_encoding text,
     blob_key text NOT NULL UNIQUE,
     ${AUTHORSHIP},
     UNIQUE (file_id, number)
   )`,
  'ALTER TABLE file ADD FOREIGN KEY (tip_id) REFERENCES file_version DEFERRABLE INITIALLY DEFERRED',
  'CREATE INDEX file_tip ON file (tip_id)',

  // Every pair of a folder and what lies below it, and of each file and itself: inherited permission is one lookup.
  `CREATE TABLE file_tree (
     ancestor_id uuid NOT NULL REFERENCES file ON DELETE CASCADE,
     descendant_id uuid NOT NULL REFERENCES file ON DELETE CASCADE,
     depth integer NOT NULL,
     PRIMARY KEY (descendant_id, ancestor_id)
   )`,
  'CREATE INDEX file_tree_ancestor ON file_tree (ancestor_id)',

  // One name, once: in a folder, or at the root of each namespace.
  `CREATE TABLE file_name_slot (
     place text NOT NULL,
     name text NOT NULL,
     file_id uuid NOT NULL REFERENCES file ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     PRIMARY KEY (place, name)
   )`,
  'CREATE INDEX file_name_slot_file ON file_name_slot (file_id)',

  // Blobs that no version holds: of uploads under way, of uploads that a crash cut off, of versions that were deleted.
  `CREATE TABLE loose_blob (
     key text PRIMARY KEY,
     expires_at timestamptz NOT NULL
   )`,
  'CREATE INDEX loose_blob_expires_at ON loose_blob (expires_at)',
];

export class CreateFiles1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE loose_blob, file_name_slot, file_tree, file_version, file CASCADE');
  }
}
