import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { isUuid } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { FileEntity } from './file.entity';
import { type FileRow, FileRows } from './file-rows.repository';
import { withinScope } from './file-scope.repository';
import { SqlValues } from './sql-values';

const ABOVE = '#above';

/** A file and the folders above it, nearest first. */
export interface PlacedFile {
  readonly file: FileEntity;
  readonly ancestorIds: readonly string[];
}

@Injectable()
export class FilesRepository {
  private readonly rows: FileRows;

  constructor(private readonly dataSource: DataSource) {
    this.rows = new FileRows(dataSource);
  }

  async find(scope: NamespaceScope, id: string): Promise<FileEntity | undefined> {
    return isUuid(id) ? (await this.findMany(scope, [id]))[0] : undefined;
  }

  async findMany(scope: NamespaceScope, ids: readonly string[]): Promise<FileEntity[]> {
    const values = new SqlValues();
    const sql = `${this.select(this.rows.selected)} WHERE file.id = ANY (${values.bind(ids.filter(isUuid))}::uuid[]) AND ${withinScope(scope, values)} ORDER BY file.position`;
    return (await this.dataSource.query<FileRow[]>(sql, values.all)).map((row) => this.rows.toFile(row));
  }

  /** The record as it is now, kept from changing until the transaction ends; `undefined` when it is gone. */
  async lock(tx: TypeOrmTx, id: string): Promise<FileEntity | undefined> {
    if (!isUuid(id)) return undefined;
    await tx.query('SELECT id FROM file WHERE id = $1 FOR UPDATE', [id]);
    return this.read(tx, id);
  }

  /** In the order of their ids, so that two of these wait for each other instead of forever. */
  async lockMany(tx: TypeOrmTx, ids: readonly string[]): Promise<void> {
    await tx.query('SELECT id FROM file WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE', [ids]);
  }

  async read(tx: TypeOrmTx, id: string): Promise<FileEntity | undefined> {
    if (!isUuid(id)) return undefined;
    const [row] = await tx.query<FileRow>(this.selectOne(this.rows.selected), [id]);
    return row && this.rows.toFile(row);
  }

  async readPlaced(tx: TypeOrmTx, id: string): Promise<PlacedFile | undefined> {
    if (!isUuid(id)) return undefined;
    const above = 'ARRAY(SELECT ancestor_id FROM file_tree WHERE descendant_id = file.id AND depth > 0 ORDER BY depth)';
    const [row] = await tx.prepared<FileRow>(this.selectOne(`${this.rows.selected}, ${above} AS "${ABOVE}"`), [id]);
    return row && { file: this.rows.toFile(row), ancestorIds: row[ABOVE] as string[] };
  }

  async readMany(tx: TypeOrmTx, ids: readonly string[]): Promise<FileEntity[]> {
    return tx.manager
      .createQueryBuilder(FileEntity, 'file')
      .leftJoinAndSelect('file.tip', 'tip')
      .where('file.id = ANY(:ids::uuid[])', { ids })
      .orderBy('file.position')
      .getMany();
  }

  async insert(tx: TypeOrmTx, { tip: _tip, ...columns }: FileEntity): Promise<void> {
    await tx.manager.insert(FileEntity, columns);
  }

  /** Stores the record and counts its revision up. */
  async update(tx: TypeOrmTx, file: FileEntity): Promise<void> {
    const { id, tip: _tip, position: _position, ...columns } = file;
    file.revision += 1;
    await tx.manager.update(FileEntity, { id }, { ...columns, revision: file.revision });
  }

  /** With their versions, names and places in the tree. */
  async remove(tx: TypeOrmTx, ids: readonly string[]): Promise<void> {
    await tx.query('DELETE FROM file WHERE id = ANY($1::uuid[])', [ids]);
  }

  /**
   * Holds still what a namespace's trees look like until the transaction ends. Making something takes it shared; moving, and deleting
   * a folder, take it alone: nothing is put into a folder that is just being deleted, and no folder ends up within itself.
   */
  async lockTrees(tx: TypeOrmTx, namespaces: readonly string[], mode: 'shared' | 'alone'): Promise<void> {
    const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
    await tx.prepared(`SELECT ${lock}(hashtextextended(tree, 0)) FROM unnest($1::text[]) AS tree`, [[...new Set(namespaces)].sort().map((namespace) => `tree of ${namespace}`)]);
  }

  private selectOne(selected: string): string {
    return `${this.select(selected)} WHERE file.id = $1`;
  }

  private select(selected: string): string {
    return `SELECT ${selected} FROM file LEFT JOIN file_version AS tip ON tip.id = file.tip_id`;
  }
}
