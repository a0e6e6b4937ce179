import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('usergroup_member')
export class UserGroupMemberEntity {
  @PrimaryColumn('uuid', { name: 'group_id' })
  groupId: string;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId: string;

  @Column('timestamptz', { name: 'joined_at' })
  joinedAt: Date;

  @Column('text', { name: 'added_by_id' })
  addedById: string;
}
