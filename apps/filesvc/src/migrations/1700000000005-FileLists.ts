import type { MigrationInterface, QueryRunner } from 'typeorm';

const TREE = (columns: string, rows: string) => [
  // Written anew: to update each row and its index entries takes ten times as long.
  'ALTER TABLE file_tree RENAME TO file_tree_before',
  `CREATE TABLE file_tree (
     ancestor_id uuid NOT NULL,
     descendant_id uuid NOT NULL,
     depth integer NOT NULL${columns}
   )`,
  `INSERT INTO file_tree ${rows}`,
  'DROP TABLE file_tree_before',
  'ALTER TABLE file_tree ADD PRIMARY KEY (descendant_id, ancestor_id)',
  'ALTER TABLE file_tree ADD FOREIGN KEY (ancestor_id) REFERENCES file ON DELETE CASCADE',
  'ALTER TABLE file_tree ADD FOREIGN KEY (descendant_id) REFERENCES file ON DELETE CASCADE',
];

const UP = [
  // What lies below a folder in the order of lists, and its number, are read from the index alone. A position never changes.
  ...TREE(', position bigint NOT NULL', 'SELECT ancestor_id, descendant_id, depth, position FROM file_tree_before JOIN file ON file.id = descendant_id'),
  'CREATE INDEX file_tree_ancestor ON file_tree (ancestor_id, position) INCLUDE (descendant_id)',
  // The same for what lies in one namespace alone: anywhere, in one folder, at the root.
  'CREATE INDEX file_namespace ON file (namespaces, position) INCLUDE (id, type, status)',
  'DROP INDEX file_parent',
  'CREATE INDEX file_parent ON file (parent_id, position) INCLUDE (id, namespaces, type, status)',
  'CREATE INDEX file_root ON file (namespaces, position) INCLUDE (id, type, status) WHERE parent_id IS NULL',
  // No list is one of all namespaces, and the planner would take it for such. The positions, made by the database, differ without it.
  'ALTER TABLE file DROP CONSTRAINT file_position_key',
  'CREATE INDEX file_shared ON file USING gin (namespaces) WHERE cardinality(namespaces) > 1',
  // How few these are is to be known.
  'CREATE STATISTICS file_namespace_count ON (cardinality(namespaces)) FROM file',
  'CREATE INDEX file_tags ON file USING gin (tags)',
  // Beginnings of names, whatever the language of the database, and ends.
  'DROP INDEX file_name',
  'CREATE INDEX file_name ON file (name text_pattern_ops)',
  'CREATE INDEX file_name_end ON file (reverse(name) text_pattern_ops)',
];

const DOWN = [
  'DROP STATISTICS file_namespace_count',
  'DROP INDEX file_name_end, file_name, file_tags, file_shared, file_root, file_parent, file_namespace',
  'ALTER TABLE file ADD CONSTRAINT file_position_key UNIQUE (position)',
  'CREATE INDEX file_parent ON file (parent_id, position)',
  'CREATE INDEX file_name ON file (name)',
  ...TREE('', 'SELECT ancestor_id, descendant_id, depth FROM file_tree_before'),
  'CREATE INDEX file_tree_ancestor ON file_tree (ancestor_id)',
];

/** Lists of very many files: a page and its total are read from indexes. */
export class FileLists1700000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
