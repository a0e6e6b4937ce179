import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a set of rows of `file`, each with `change` 1 or -1, changes. One statement of a user's is seldom more than a row here, however many files it moves. */
const counted = (rows: string) => `
  INSERT INTO file_count (namespace, type, status, files)
  SELECT namespaces[1], type, status, sum(change) FROM (${rows}) AS changed WHERE cardinality(namespaces) = 1
  GROUP BY namespaces[1], type, status HAVING sum(change) <> 0`;
const rowsOf = (table: string, change: 1 | -1) => `SELECT namespaces, type, status, ${change} AS change FROM ${table}`;

const TRIGGERS = [
  { name: 'more', event: 'INSERT', tables: 'NEW TABLE AS more', rows: rowsOf('more', 1) },
  { name: 'less', event: 'DELETE', tables: 'OLD TABLE AS less', rows: rowsOf('less', -1) },
  { name: 'other', event: 'UPDATE', tables: 'OLD TABLE AS less NEW TABLE AS more', rows: `${rowsOf('more', 1)} UNION ALL ${rowsOf('less', -1)}` },
];

const UP = [
  // How many files lie in each namespace alone: the sum of its rows. Each change adds a row, for which nobody waits; they are folded from time to time.
  'CREATE TABLE file_count (namespace text NOT NULL, type text NOT NULL, status text NOT NULL, files bigint NOT NULL)',
  'CREATE INDEX file_count_namespace ON file_count (namespace, type, status) INCLUDE (files)',
  ...TRIGGERS.flatMap(({ name, event, tables, rows }) => [
    `CREATE FUNCTION file_count_${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${counted(rows)}; RETURN NULL; END $$`,
    `CREATE TRIGGER file_count_${name} AFTER ${event} ON file REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION file_count_${name}()`,
  ]),
  // After the triggers, which have waited for whoever was writing.
  counted(rowsOf('file', 1)),
];

/** Totals of lists without a count: by the database, whoever changes a file. */
export class FileCounts1700000000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of TRIGGERS) await runner.query(`DROP TRIGGER file_count_${name} ON file; DROP FUNCTION file_count_${name}`);
    await runner.query('DROP TABLE file_count');
  }
}
