import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { UserAttributes } from '../attributes/user-attributes';
import { FileVersionEntity } from '../versions/file-version.entity';
import { NamedAuthorsEntity } from './authorship.entity';
import type { FileStatus, FileType } from './file-status';

/** A file or a folder. */
@Entity('file')
export class FileEntity extends NamedAuthorsEntity {
  @PrimaryColumn('uuid')
  id!: string;

  /** Counts up with creation; made by the database. */
  @Column({ type: 'bigint', insert: false, update: false, select: false })
  position!: string;

  @Column('text')
  name!: string;

  @Column('text')
  type!: FileType;

  @Column('text', { array: true })
  namespaces!: readonly string[];

  /** `null` at the root. */
  @Column('uuid', { name: 'parent_id', nullable: true })
  parentId!: string | null;

  @Column('text', { array: true })
  tags!: readonly string[];

  /** What clients keep with it. */
  @Column('json', { name: 'user_attributes' })
  userAttributes!: UserAttributes;

  @Column('text')
  status!: FileStatus;

  @Column('uuid', { name: 'tip_id', nullable: true })
  tipId!: string | null;

  /** The latest version; joined where a file is read. */
  @OneToOne(() => FileVersionEntity, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'tip_id' })
  tip?: FileVersionEntity | null;

  /** Only grows: a number is never used twice. */
  @Column('integer', { name: 'next_version' })
  nextVersion!: number;

  /** Changes with every change of the record; its ETag. */
  @Column('integer')
  revision!: number;
}
