import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATUSES = ['UPLOAD_PENDING', 'UPLOADING', 'UPLOAD_COMPLETED', 'UPLOAD_FAILED'];
const statusCheck = (statuses: readonly string[]) => `CHECK (status IN (${statuses.map((status) => `'${status}'`).join(', ')}))`;

const COLUMNS = [
  // What the bytes say that they are; nothing, when they do not tell, or have never been asked.
  'ALTER TABLE file_version ADD COLUMN detected_content_type text',
  // What a scan found in them.
  'ALTER TABLE file_version ADD COLUMN quarantined_for text',
  'CREATE INDEX file_version_quarantined ON file_version (file_id, number) WHERE quarantined_for IS NOT NULL',
  'ALTER TABLE file DROP CONSTRAINT file_status_check',
  `ALTER TABLE file ADD CONSTRAINT file_status_check ${statusCheck([...STATUSES, 'QUARANTINED'])}`,
];

/** Bytes that a set of rows adds to the namespaces of their files: versions, and uploads by what they have announced. */
const counted = (rows: string, sign: '' | '-') => `
  INSERT INTO namespace_usage (namespace, bytes)
  SELECT namespace, ${sign}sum(size) FROM ${rows} AS counted JOIN file ON file.id = counted.file_id, unnest(file.namespaces) AS namespace
  GROUP BY namespace HAVING sum(size) <> 0`;
const heldBy = (file: string) => `(SELECT coalesce(sum(size), 0) FROM (
  SELECT size FROM file_version WHERE file_id = ${file}.id UNION ALL SELECT size FROM resumable_upload WHERE file_id = ${file}.id) AS held)`;
const moved = (file: string, sign: '' | '-') => `INSERT INTO namespace_usage (namespace, bytes) SELECT namespace, ${sign}bytes FROM unnest(${file}.namespaces) AS namespace WHERE bytes <> 0;`;

const USAGE = [
  // How many bytes each namespace holds: the sum of its rows. Each change adds a row, for which nobody waits; they are folded from time to time.
  'CREATE TABLE namespace_usage (namespace text NOT NULL, bytes bigint NOT NULL)',
  'CREATE INDEX namespace_usage_namespace ON namespace_usage (namespace)',
  counted('(SELECT file_id, size FROM file_version UNION ALL SELECT file_id, size FROM resumable_upload)', ''),

  `CREATE FUNCTION usage_count_more() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${counted('more', '')}; RETURN NULL; END $$`,
  `CREATE FUNCTION usage_count_less() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${counted('less', '-')}; RETURN NULL; END $$`,
  // What goes with its file is counted while the file is there; when the rows themselves go, it is not.
  `CREATE FUNCTION usage_count_gone() RETURNS trigger LANGUAGE plpgsql AS $$
     DECLARE bytes bigint := ${heldBy('OLD')}; BEGIN ${moved('OLD', '-')} RETURN OLD; END $$`,
  `CREATE FUNCTION usage_count_moved() RETURNS trigger LANGUAGE plpgsql AS $$
     DECLARE bytes bigint := ${heldBy('NEW')}; BEGIN ${moved('OLD', '-')} ${moved('NEW', '')} RETURN NULL; END $$`,
  ...['file_version', 'resumable_upload'].flatMap((table) => [
    `CREATE TRIGGER ${table}_more AFTER INSERT ON ${table} REFERENCING NEW TABLE AS more FOR EACH STATEMENT EXECUTE FUNCTION usage_count_more()`,
    `CREATE TRIGGER ${table}_less AFTER DELETE ON ${table} REFERENCING OLD TABLE AS less FOR EACH STATEMENT EXECUTE FUNCTION usage_count_less()`,
  ]),
  'CREATE TRIGGER file_usage_gone BEFORE DELETE ON file FOR EACH ROW EXECUTE FUNCTION usage_count_gone()',
  `CREATE TRIGGER file_usage_moved AFTER UPDATE OF namespaces ON file FOR EACH ROW WHEN (OLD.namespaces IS DISTINCT FROM NEW.namespaces)
     EXECUTE FUNCTION usage_count_moved()`,
];

/** The real type of a version, what a scan found in it, and how many bytes a namespace holds: counted by the database, whoever changes it. */
export class FileSafety1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...COLUMNS, ...USAGE]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['file_version', 'resumable_upload']) await runner.query(`DROP TRIGGER ${table}_more ON ${table}; DROP TRIGGER ${table}_less ON ${table}`);
    await runner.query('DROP TRIGGER file_usage_gone ON file; DROP TRIGGER file_usage_moved ON file');
    await runner.query('DROP FUNCTION usage_count_more, usage_count_less, usage_count_gone, usage_count_moved');
    await runner.query('DROP TABLE namespace_usage');
    await runner.query('ALTER TABLE file_version DROP COLUMN detected_content_type, DROP COLUMN quarantined_for');
    await runner.query(`UPDATE file SET status = 'UPLOAD_COMPLETED' WHERE status = 'QUARANTINED'`);
    await runner.query(`ALTER TABLE file DROP CONSTRAINT file_status_check, ADD CONSTRAINT file_status_check ${statusCheck(STATUSES)}`);
  }
}
