import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { invalidField, invalidFields, isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import type { UserEntity } from '../users/user.entity';
import { UsersRepository } from '../users/users.repository';
import { GroupLifecycle } from './group-lifecycle';
import { UserGroupMembersRepository } from './usergroup-members.repository';
import { requireOnGroup, UserGroupsService } from './usergroups.service';

@Injectable()
export class UserGroupMembersService {
  constructor(
    private readonly groups: UserGroupsService,
    private readonly members: UserGroupMembersRepository,
    private readonly lifecycle: GroupLifecycle,
    private readonly users: UsersRepository,
    private readonly feed: GrantFeed,
  ) {}

  /** Names and addresses of the members are for those who may READ the group; to be one of them is not enough. */
  async list(ctx: RequestContext, id: string, paging: Paging): Promise<Slice<UserEntity>> {
    const group = await this.groups.get(ctx, id);
    requireOnGroup(ctx, 'READ', group);
    return this.members.list(group.id, paging);
  }

  async add(ctx: RequestContext, id: string, userIds: readonly unknown[], keep?: KeepAnswer<UserEntity[]>): Promise<UserEntity[]> {
    const group = await this.groups.getEditable(ctx, id);
    const wanted = wellFormed(userIds);
    const known = new Map((await this.users.findByIds(wanted)).map((user) => [user.id, user]));
    const found = wanted.map((userId) => {
      const user = known.get(userId);
      if (user === undefined) throw invalidField(`[${positionOf(userIds, userId)}]`, 'there is no user with this id');
      return user;
    });
    return this.feed.commit(async (tx) => ({ result: found, keys: await this.lifecycle.addMembers(tx, group, wanted, ctx.origin) }), keep);
  }

  async remove(ctx: RequestContext, id: string, userIds: readonly unknown[], keep?: KeepAnswer<void>): Promise<void> {
    const group = await this.groups.getEditable(ctx, id);
    const wanted = wellFormed(userIds);
    await this.feed.commit(async (tx) => ({ result: undefined, keys: await this.lifecycle.removeMembers(tx, group, wanted, ctx.origin) }), keep);
  }
}

/** Each user once, however often it was named. */
function wellFormed(userIds: readonly unknown[]): string[] {
  const issues = userIds.flatMap((id, index) => (isUuid(id) ? [] : [{ field: `[${index}]`, issue: 'must be the id of a user' }]));
  if (issues.length > 0) throw invalidFields(issues);
  return [...new Set(userIds.map((id) => String(id).toLowerCase()))];
}

const positionOf = (userIds: readonly unknown[], userId: string) => userIds.findIndex((id) => String(id).toLowerCase() === userId);
