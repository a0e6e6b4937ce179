import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalidField } from '@twinyard/conventions';
import type { UserEntity } from '../users/user.entity';
import { UsersRepository } from '../users/users.repository';
import { AnswerInvite } from './answer-invite';
import { InvitesRepository } from './invites.repository';

/** Joining a group by an invite, through the API. */
@Injectable()
export class AcceptInvite {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly users: UsersRepository,
    private readonly answer: AnswerInvite,
  ) {}

  /** @throws ServiceError `invalid` for an invite to another address or group, and for one that is over (specification 1, rule 4). */
  async run(ctx: RequestContext, groupId: string, inviteId: string): Promise<UserEntity> {
    const invite = await this.invites.find(inviteId);
    const user = ctx.principal.type === 'user' ? await this.users.findById(ctx.callerId) : undefined;
    if (invite === undefined || invite.groupId !== groupId.toLowerCase()) throw invalidField('inviteId', 'there is no such invite to this group');
    if (user === undefined || !ctx.access.hasEmail(invite.email)) throw invalidField('inviteId', 'the invite is to another e-mail address');
    await this.answer.accept(invite, ctx.origin);
    return user;
  }
}
