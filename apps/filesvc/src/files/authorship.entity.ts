import { AuthoredEntity } from '@twinyard/service-kit';
import { Column } from 'typeorm';

/** Keeps the names beside the ids: lists of files show them, and a name is that of the time. */
export abstract class NamedAuthorsEntity extends AuthoredEntity {
  @Column('text', { name: 'created_by_name', nullable: true })
  createdByName!: string | null;

  @Column('text', { name: 'updated_by_name', nullable: true })
  updatedByName!: string | null;
}
