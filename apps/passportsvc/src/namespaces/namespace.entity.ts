import { Column, Entity, PrimaryColumn } from 'typeorm';

export type NamespaceKind = 'organization' | 'application' | 'workspace' | 'usergroup';

/** A namespace and the record that it was made for. */
@Entity('namespace')
export class NamespaceEntity {
  @PrimaryColumn('text')
  name: string;

  @Column('text')
  kind: NamespaceKind;

  /** Id of the organization, application, workspace or user group. */
  @Column('text', { name: 'owner_id' })
  ownerId: string;

  /** The application that it belongs to; none for what belongs to an organization directly. */
  @Column('text', { name: 'app_id', nullable: true })
  appId: string | null;

  @Column('uuid', { name: 'org_id', nullable: true })
  orgId: string | null;

  /** A hidden namespace is empty to everybody: grants in it count for nothing. */
  @Column('boolean')
  hidden: boolean;
}
