import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { invalidField } from '@twinyard/conventions';
import type { UserEntity } from '../users/user.entity';
import { UsersRepository } from '../users/users.repository';
import { AnswerInvite } from './answer-invite';
import { InvitesRepository } from './invites.repository';

/**
 * Joining a group by an invite, through the API. Whoever may read the group knows its invites' ids, and anybody can sign up with
 * anybody's address: so an invite is taken up by who has shown to read the mail of its address, as on the pages.
 */
@Injectable()
export class AcceptInvite {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly users: UsersRepository,
    private readonly answer: AnswerInvite,
  ) {}

  /** @throws ServiceError `invalid` for an invite to another address or group, to one that is not confirmed, and for one that is over (specification 1, rule 4). */
  async run(ctx: RequestContext, groupId: string, inviteId: string, keep?: KeepAnswer<UserEntity>): Promise<UserEntity> {
    const invite = await this.invites.find(inviteId);
    const user = ctx.principal.type === 'user' ? await this.users.findById(ctx.callerId) : undefined;
    if (invite === undefined || invite.groupId !== groupId.toLowerCase()) throw invalidField('inviteId', 'there is no such invite to this group');
    if (user === undefined || user.email !== invite.email) throw invalidField('inviteId', 'the invite is to another e-mail address');
    if (!ctx.access.hasEmail(invite.email)) throw invalidField('inviteId', 'the caller\'s e-mail address is not confirmed yet: a mail with a link was sent there');
    await this.answer.accept(invite, ctx.origin, keep && ((tx) => keep(tx, user)));
    return user;
  }
}
