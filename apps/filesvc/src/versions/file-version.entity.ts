import { Column, Entity, PrimaryColumn } from 'typeorm';
import { NamedAuthorsEntity } from '../files/authorship.entity';

/** One numbered content of a file. Only finished uploads have a row, so there is nothing half to be seen. */
@Entity('file_version')
export class FileVersionEntity extends NamedAuthorsEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'file_id' })
  fileId!: string;

  @Column('integer')
  number!: number;

  /** Bytes as stored. */
  @Column('bigint', { transformer: { from: Number, to: (size: number) => size } })
  size!: number;

  /** Hex, of the bytes as stored. */
  @Column('text')
  sha256!: string;

  @Column('text', { name: 'content_type' })
  contentType!: string;

  @Column('text', { name: 'content_encoding', nullable: true })
  contentEncoding!: string | null;

  /** What the bytes say that they are, by their first ones; nothing, when they do not tell, or came before they were asked. */
  @Column('text', { name: 'detected_content_type', nullable: true })
  detectedContentType!: string | null;

  /** What a scan found in them. They are not given out, shown or decoded while it stands here. */
  @Column('text', { name: 'quarantined_for', nullable: true })
  quarantinedFor!: string | null;

  @Column('text', { name: 'blob_key' })
  blobKey!: string;

  /** Its picture, once there is one. */
  @Column('uuid', { name: 'preview_id', nullable: true })
  previewId?: string | null;
}
