import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import { FileVersionEntity } from '../versions/file-version.entity';
import { FileEntity } from './file.entity';

export type FileRow = Readonly<Record<string, unknown>>;

/**
 * Files with their tips as plain SQL selects them from `file` and `tip`, and as entities. TypeORM, which is ready for any join, would
 * compare each row with all others.
 */
export class FileRows {
  private readonly file: readonly Column[];
  private readonly tip: readonly Column[];

  constructor(dataSource: DataSource) {
    this.file = columnsOf(dataSource, FileEntity, 'file');
    this.tip = columnsOf(dataSource, FileVersionEntity, 'tip');
  }

  get selected(): string {
    return [...this.file, ...this.tip].map(({ name, sql }) => `${sql} AS "${name}"`).join(', ');
  }

  toFile(row: FileRow): FileEntity {
    const file = fill(new FileEntity(), this.file, row);
    file.tip = file.tipId === null ? null : fill(new FileVersionEntity(), this.tip, row);
    return file;
  }

  /** Where `tip` is any version of the file. */
  toVersion(row: FileRow): { readonly version: FileVersionEntity; readonly file: FileEntity } {
    return { file: fill(new FileEntity(), this.file, row), version: fill(new FileVersionEntity(), this.tip, row) };
  }
}

interface Column {
  readonly name: string;
  readonly sql: string;
  readonly property: string;
  /** Where the entity has another value than the driver of the database gives. */
  readonly hydrate?: (value: unknown) => unknown;
}

/** Thousands of values a page: an object for each, or a call that finds nothing to do, would be much of what a list costs. */
function fill<E extends object>(entity: E, columns: readonly Column[], row: FileRow): E {
  const target = entity as Record<string, unknown>;
  for (const { name, property, hydrate } of columns) target[property] = hydrate ? hydrate(row[name]) : row[name];
  return entity;
}

/** Types whose values TypeORM leaves as they come. */
const PLAIN: ReadonlySet<unknown> = new Set(['uuid', 'text', 'integer', 'timestamptz']);

const columnsOf = (dataSource: DataSource, entity: EntityTarget<ObjectLiteral>, table: string): Column[] =>
  dataSource.getMetadata(entity).columns.filter(({ isSelect }) => isSelect).map((column) => ({
    name: `${table}.${column.propertyName}`,
    sql: `${table}."${column.databaseName}"`,
    property: column.propertyName,
    ...((column.transformer !== undefined || !PLAIN.has(column.type)) && { hydrate: (value: unknown) => dataSource.driver.prepareHydratedValue(value, column) as unknown }),
  }));
