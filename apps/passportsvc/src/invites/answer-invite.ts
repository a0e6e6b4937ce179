import { Injectable } from '@nestjs/common';
import type { KeepAnswer } from '@twinyard/auth';
import { invalidField } from '@twinyard/conventions';
import { type EventOrigin, Outbox, resourceUpdated } from '@twinyard/events';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { GroupLifecycle } from '../usergroups/group-lifecycle';
import { UserGroupsService } from '../usergroups/usergroups.service';
import type { InviteEntity } from './invite.entity';
import { requireTransition } from './invite-status';
import { toInviteEvent } from './invites.events';
import { InvitesRepository } from './invites.repository';

/** The answer of somebody who was found to be the one that is invited; `origin` names that person. */
@Injectable()
export class AnswerInvite {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly groups: UserGroupsService,
    private readonly lifecycle: GroupLifecycle,
    private readonly feed: GrantFeed,
    private readonly outbox: Outbox,
  ) {}

  /** The new member and the answered invite are one transaction. */
  async accept(invite: InviteEntity, origin: EventOrigin, keep?: KeepAnswer<void>): Promise<void> {
    await this.answer(invite, 'ACCEPTED', origin, keep);
  }

  async decline(invite: InviteEntity, origin: EventOrigin): Promise<void> {
    await this.answer(invite, 'REJECTED', origin);
  }

  /** @throws ServiceError `invalid` for one that is over. */
  private async answer(invite: InviteEntity, status: 'ACCEPTED' | 'REJECTED', origin: EventOrigin, keep?: KeepAnswer<void>): Promise<void> {
    requireTransition(invite, status, new Date());
    const group = await this.groups.getExisting(invite.groupId);
    await this.feed.commit(async (tx) => {
      if (!(await this.invites.end(tx, invite.id, status, origin.userId))) throw invalidField('inviteId', 'the invite has been answered meanwhile');
      const keys = status === 'ACCEPTED' ? await this.lifecycle.addMembers(tx, group, [origin.userId], origin) : [];
      await this.outbox.append(tx, resourceUpdated('passportsvc.Invite', toInviteEvent({ ...invite, status }, group), origin));
      return { result: undefined, keys };
    }, keep);
  }
}
