import type { Authored } from '@twinyard/conventions';
import { Column } from 'typeorm';

/** A record that knows who made and last changed it, and when. */
export abstract class AuthoredEntity implements Authored {
  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  @Column('text', { name: 'created_by_id' })
  createdById!: string;

  @Column('text', { name: 'updated_by_id' })
  updatedById!: string;
}
