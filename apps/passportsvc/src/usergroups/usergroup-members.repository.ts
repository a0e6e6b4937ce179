import { Injectable } from '@nestjs/common';
import type { Paging, Slice } from '@twinyard/conventions';
import { answerBytesOf, lightSlice, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { LivingOwners } from '../ownership/living-owners';
import { UserEntity } from '../users/user.entity';
import { UserGroupMemberEntity } from './usergroup-member.entity';

@Injectable()
export class UserGroupMembersRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly owners: LivingOwners,
  ) {}

  /** In the order of joining. The group is one that its reader was found to reach. */
  async list(groupId: string, { offset, pageSize }: Paging): Promise<Slice<UserEntity>> {
    const query = this.dataSource
      .getRepository(UserEntity)
      .createQueryBuilder('app_user')
      .innerJoin(UserGroupMemberEntity, 'member', 'member.user_id = app_user.id AND member.group_id = :groupId', { groupId });
    const total = await query.getCount();
    if (pageSize === 0 || offset >= total) return { rows: [], total };
    const rows = await query.orderBy('member.joinedAt').addOrderBy('app_user.id').offset(offset).limit(pageSize).getMany();
    return lightSlice({ rows, total }, answerBytesOf(this.dataSource));
  }

  /** Answers who was not a member before. */
  async add(tx: TypeOrmTx, groupId: string, userIds: readonly string[], addedById: string): Promise<string[]> {
    const rows = await tx.query<{ user_id: string }>(
      `INSERT INTO usergroup_member (group_id, user_id, joined_at, added_by_id)
       SELECT $1, user_id, now(), $3 FROM unnest($2::uuid[]) AS user_id ORDER BY user_id
       ON CONFLICT DO NOTHING RETURNING user_id`,
      [groupId, userIds, addedById],
    );
    return rows.map(({ user_id }) => user_id);
  }

  /** Answers who was a member. */
  async remove(tx: TypeOrmTx, groupId: string, userIds: readonly string[]): Promise<string[]> {
    await this.owners.beforeLossOf(tx, { type: 'usergroup', id: groupId });
    const rows = await tx.query<{ user_id: string }>(
      'DELETE FROM usergroup_member WHERE group_id = $1 AND user_id = ANY($2::uuid[]) RETURNING user_id', [groupId, userIds],
    );
    return rows.map(({ user_id }) => user_id);
  }
}
