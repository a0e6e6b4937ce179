import { Injectable } from '@nestjs/common';
import { isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { answerBytesOf, lightSlice, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import type { VerifiedAddress } from '../content/signed-addresses';
import type { FileEntity } from '../files/file.entity';
import { type FileRow, FileRows } from '../files/file-rows.repository';
import { FileVersionEntity } from './file-version.entity';

/** A version and the file that it belongs to. */
export interface VersionOfFile {
  readonly version: FileVersionEntity;
  readonly file: FileEntity;
}

/** Versions of files that were read within a scope, which is what `file` stands for. */
@Injectable()
export class VersionsRepository {
  private readonly rows: FileRows;

  constructor(private readonly dataSource: DataSource) {
    this.rows = new FileRows(dataSource);
  }

  /** Newest first. */
  async list(file: FileEntity, paging: Paging): Promise<Slice<FileVersionEntity>> {
    const [rows, total] = await this.dataSource
      .getRepository(FileVersionEntity)
      .findAndCount({ where: { fileId: file.id }, order: { number: 'DESC' }, skip: paging.offset, take: paging.pageSize });
    return lightSlice({ rows, total }, answerBytesOf(this.dataSource));
  }

  async find(file: FileEntity, id: string): Promise<FileVersionEntity | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.dataSource.getRepository(FileVersionEntity).findOneBy({ id, fileId: file.id })) ?? undefined;
  }

  /** For a download: the address was given to somebody who may read it. */
  async findByAddress({ versionId }: VerifiedAddress): Promise<VersionOfFile | undefined> {
    const sql = `SELECT ${this.rows.selected} FROM file_version AS tip JOIN file ON file.id = tip.file_id WHERE tip.id = $1`;
    const [row] = await this.dataSource.query<FileRow[]>(sql, [versionId]);
    return row && this.rows.toVersion(row);
  }

  async insert(tx: TypeOrmTx, version: FileVersionEntity): Promise<void> {
    await tx.manager.insert(FileVersionEntity, version);
  }

  async remove(tx: TypeOrmTx, id: string): Promise<void> {
    await tx.manager.delete(FileVersionEntity, { id });
  }

  /** Of these files, in the order of their numbers. */
  async readOfFiles(tx: TypeOrmTx, fileIds: readonly string[]): Promise<FileVersionEntity[]> {
    return tx.manager
      .createQueryBuilder(FileVersionEntity, 'version')
      .where('version.fileId = ANY(:fileIds::uuid[])', { fileIds })
      .orderBy('version.fileId')
      .addOrderBy('version.number')
      .getMany();
  }

  async readByFile(tx: TypeOrmTx, fileIds: readonly string[]): Promise<ReadonlyMap<string, readonly FileVersionEntity[]>> {
    const byFile = new Map<string, FileVersionEntity[]>();
    for (const version of await this.readOfFiles(tx, fileIds)) byFile.set(version.fileId, [...(byFile.get(version.fileId) ?? []), version]);
    return byFile;
  }
}
