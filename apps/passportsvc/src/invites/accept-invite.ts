import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalidField } from '@twinyard/conventions';
import { Outbox, resourceUpdated } from '@twinyard/events';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { GroupLifecycle } from '../usergroups/group-lifecycle';
import { UserGroupsService } from '../usergroups/usergroups.service';
import type { UserEntity } from '../users/user.entity';
import { UsersRepository } from '../users/users.repository';
import { requireTransition } from './invite-status';
import { toInviteEvent } from './invites.events';
import { InvitesRepository } from './invites.repository';

/** Joining a group by an invite: the member and the answered invite are one transaction. */
@Injectable()
export class AcceptInvite {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly groups: UserGroupsService,
    private readonly users: UsersRepository,
    private readonly lifecycle: GroupLifecycle,
    private readonly feed: GrantFeed,
    private readonly outbox: Outbox,
  ) {}

  /** @throws ServiceError `invalid` for an invite to another address or group, and for one that is over (specification 1, rule 4). */
  async run(ctx: RequestContext, groupId: string, inviteId: string): Promise<UserEntity> {
    const invite = await this.invites.find(inviteId);
    const user = ctx.principal.type === 'user' ? await this.users.findById(ctx.callerId) : undefined;
    if (invite === undefined || invite.groupId !== groupId.toLowerCase()) throw invalidField('inviteId', 'there is no such invite to this group');
    if (user === undefined || !ctx.access.hasEmail(invite.email)) throw invalidField('inviteId', 'the invite is to another e-mail address');
    requireTransition(invite, 'ACCEPTED', new Date());
    const group = await this.groups.getExisting(groupId);
    return this.feed.commit(async (tx) => {
      if (!(await this.invites.end(tx, inviteId, 'ACCEPTED', user.id))) throw invalidField('inviteId', 'the invite has been answered meanwhile');
      const keys = await this.lifecycle.addMembers(tx, group, [user.id], ctx.origin);
      await this.outbox.append(tx, resourceUpdated('passportsvc.Invite', toInviteEvent({ ...invite, status: 'ACCEPTED' }, group), ctx.origin));
      return { result: user, keys };
    });
  }
}
