import { Injectable } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import { ConfirmationMails } from '../../accounts/settings/account-settings.service';
import { AnswerInvite } from '../../invites/answer-invite';
import { isProvenHolder } from '../../users/address-holders';
import type { UserEntity } from '../../users/user.entity';
import { Interactions, type Visit } from './interactions.service';
import { type Invitation, Invited } from './invited';
import { invitePage, otherInvitePage, unconfirmedInvitePage } from './invite-page';

const ANSWERED = { invite: {} } as const;

/**
 * An invite on the way of a sign-in. Whoever may read the group knows its invites' ids, and the application that the mail's link
 * leads to does too: an id proves no address. So the invite is taken up by whoever has shown to read the mail of its address.
 */
@Injectable()
export class InvitePages {
  constructor(
    private readonly interactions: Interactions,
    private readonly invited: Invited,
    private readonly answer: AnswerInvite,
    private readonly confirmations: ConfirmationMails,
  ) {}

  async show(visit: Visit, { status = 200, isMailed = false } = {}): Promise<void> {
    const { user, frame, path, csrf } = visit;
    const invitation = await this.invited.find(visit.interaction);
    if (user === undefined || typeof invitation !== 'object') return this.interactions.finish(visit, ANSWERED);
    const { invite, inviter, group } = invitation;
    const here = { ...frame, here: path };
    if (invite.email !== user.email) return this.interactions.send(visit, otherInvitePage(here, { path, csrf, invited: invite.email, email: user.email }), { status });
    const page = { path, csrf, inviter, group, email: user.email, isMailed };
    return this.interactions.send(visit, user.emailVerified ? invitePage(here, page) : unconfirmedInvitePage(here, page), { status });
  }

  async decide(visit: Visit): Promise<void> {
    const { user, form, isForged } = visit;
    if (isForged) return this.show(visit, { status: 403 });
    const invitation = await this.invited.find(visit.interaction);
    if (user === undefined || typeof invitation !== 'object') return this.interactions.finish(visit, ANSWERED);
    switch (form['decision']) {
      case 'accept':
      case 'decline':
        return this.settle(visit, user, invitation, form['decision']);
      case 'mail':
        return this.mail(visit, user);
      case 'later':
        return this.interactions.finish(visit, ANSWERED);
      case 'switch':
        return this.interactions.startOver(visit);
      default:
        return this.show(visit);
    }
  }

  private async settle(visit: Visit, user: UserEntity, { invite }: Invitation, decision: 'accept' | 'decline'): Promise<void> {
    if (!isProvenHolder(user, invite.email)) return this.show(visit);
    const { request } = visit;
    await this.answer[decision](invite, { userId: user.id, requestId: request.id, address: request.ip }).catch(unlessAnswered);
    return this.interactions.finish(visit, ANSWERED);
  }

  private async mail(visit: Visit, user: UserEntity): Promise<void> {
    const { frame: { language }, interaction, request } = visit;
    await this.confirmations.send(user, request.id, { language, signInId: interaction.uid });
    return this.show(visit, { isMailed: true });
  }
}

/** In another window at the same moment, or cancelled: the sign-in goes on without it. */
function unlessAnswered(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'invalid') throw error;
}
