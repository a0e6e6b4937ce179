import type { PartialObject } from '@twinyard/blobs';
import type { UserAttributes } from '../attributes/user-attributes';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A content that comes in pieces. It is no version before it is whole and found right. */
@Entity('resumable_upload')
export class ResumableUploadEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'file_id' })
  fileId!: string;

  /** The id that the version will have. */
  @Column('uuid', { name: 'version_id' })
  versionId!: string;

  @Column('text', { name: 'blob_key' })
  blobKey!: string;

  /** Bytes of the whole. */
  @Column('bigint', { transformer: { from: Number, to: (size: number) => size } })
  size!: number;

  /** Hex SHA-256 of the whole, as announced. */
  @Column('text')
  checksum!: string;

  @Column('text', { name: 'content_type' })
  contentType!: string;

  @Column('text', { name: 'content_encoding', nullable: true })
  contentEncoding!: string | null;

  @Column('text', { array: true, nullable: true })
  tags!: readonly string[] | null;

  @Column('json', { name: 'user_attributes', nullable: true })
  userAttributes!: UserAttributes | null;

  @Column('jsonb')
  received!: PartialObject;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('text', { name: 'created_by_id' })
  createdById!: string;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
