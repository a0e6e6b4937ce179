import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { isUuid } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { FileEntity } from './file.entity';
import { withinScope } from './file-scope.repository';

@Injectable()
export class FilesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(scope: NamespaceScope, id: string): Promise<FileEntity | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.within(scope).andWhere('file.id = :id', { id }).getOne()) ?? undefined;
  }

  async findMany(scope: NamespaceScope, ids: readonly string[]): Promise<FileEntity[]> {
    return this.within(scope).andWhere('file.id = ANY(:ids::uuid[])', { ids: ids.filter(isUuid) }).orderBy('file.position').getMany();
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
    return (await tx.manager.findOne(FileEntity, { where: { id }, relations: { tip: true } })) ?? undefined;
  }

  async readMany(tx: TypeOrmTx, ids: readonly string[]): Promise<FileEntity[]> {
    return tx.manager
      .createQueryBuilder(FileEntity, 'file')
      .leftJoinAndSelect('file.tip', 'tip')
      .where('file.id = ANY(:ids::uuid[])', { ids })
      .orderBy('file.position')
      .getMany();
  }

  /** Their order is that of lists. */
  async insert(tx: TypeOrmTx, files: readonly FileEntity[]): Promise<void> {
    await tx.manager.insert(FileEntity, files.map(({ tip: _tip, ...columns }) => columns));
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
    for (const namespace of [...new Set(namespaces)].sort()) await tx.query(`SELECT ${lock}(hashtextextended($1, 0))`, [`tree of ${namespace}`]);
  }

  private within(scope: NamespaceScope) {
    return withinScope(this.dataSource.getRepository(FileEntity).createQueryBuilder('file').leftJoinAndSelect('file.tip', 'tip').where('true'), scope);
  }
}
