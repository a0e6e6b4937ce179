import type { DataSource, EntityMetadata } from 'typeorm';
import { FileVersionEntity } from '../versions/file-version.entity';
import { FileEntity } from './file.entity';

export type FileRow = Readonly<Record<string, unknown>>;

/**
 * Files with their tips as plain SQL selects them from `file` and `tip`, and as entities. TypeORM, which is ready for any join, would
 * compare each row with all others.
 */
export class FileRows {
  private readonly file: ReadonlyMap<string, Column>;
  private readonly tip: ReadonlyMap<string, Column>;

  constructor(private readonly dataSource: DataSource) {
    this.file = columnsOf(dataSource.getMetadata(FileEntity), 'file');
    this.tip = columnsOf(dataSource.getMetadata(FileVersionEntity), 'tip');
  }

  get selected(): string {
    return [...this.file, ...this.tip].map(([name, { sql }]) => `${sql} AS "${name}"`).join(', ');
  }

  toFile(row: FileRow): FileEntity {
    const file = this.fill(new FileEntity(), this.file, row);
    file.tip = file.tipId === null ? null : this.fill(new FileVersionEntity(), this.tip, row);
    return file;
  }

  private fill<E extends object>(entity: E, columns: ReadonlyMap<string, Column>, row: FileRow): E {
    for (const [name, { column }] of columns) Object.assign(entity, { [column.propertyName]: this.dataSource.driver.prepareHydratedValue(row[name], column) as unknown });
    return entity;
  }
}

interface Column {
  readonly sql: string;
  readonly column: EntityMetadata['columns'][number];
}

const columnsOf = ({ columns }: EntityMetadata, table: string): ReadonlyMap<string, Column> =>
  new Map(columns.filter(({ isSelect }) => isSelect).map((column) => [`${table}.${column.propertyName}`, { sql: `${table}."${column.databaseName}"`, column }]));
