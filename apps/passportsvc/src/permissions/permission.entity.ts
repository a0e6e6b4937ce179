import type { GrantableAction, PrincipalType, ResourceCriteria, SubresourceDesc } from '@twinyard/conventions';
import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Actions that a principal holds on what an IRN pattern covers, in one namespace. */
@Entity('permission')
export class Permission extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  namespace!: string;

  @Column('text', { array: true })
  actions!: GrantableAction[];

  @Column('text')
  irn!: string;

  @Column('jsonb', { nullable: true })
  criteria!: ResourceCriteria | null;

  @Column('jsonb', { nullable: true })
  subresource!: SubresourceDesc | null;

  @Column('text', { name: 'principal_type' })
  principalType!: PrincipalType;

  @Column('text', { name: 'principal_id' })
  principalId!: string;
}
