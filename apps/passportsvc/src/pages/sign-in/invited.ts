import { Injectable } from '@nestjs/common';
import type { InviteEntity } from '../../invites/invite.entity';
import { statusAt } from '../../invites/invite-status';
import { InvitesRepository } from '../../invites/invites.repository';
import { strong } from '../form';
import type { Frame } from '../frame';
import { type Html, html } from '../html';
import { textOf } from '../page-reply';
import type { Interaction } from './interaction';

export interface Invitation {
  readonly invite: InviteEntity;
  readonly inviter: string;
  readonly group: string;
}

/** The invite that an authorization request names (contract 1.1). */
@Injectable()
export class Invited {
  constructor(private readonly invites: InvitesRepository) {}

  /** `'over'`: it was answered or cancelled, its time is up, or there never was one. */
  async find({ params }: Interaction): Promise<Invitation | 'over' | undefined> {
    if (params['inviteId'] === undefined) return undefined;
    const invite = await this.invites.find(textOf(params['inviteId']));
    if (invite === undefined || statusAt(invite, new Date()) !== 'PENDING') return 'over';
    const [view] = await this.invites.join([invite]);
    return view === undefined ? 'over' : { invite, inviter: textOf(invite.params['inviter_name']), group: view.group.name };
  }
}

/** Above a form of somebody who is not signed in yet. */
export function bannerOf({ texts }: Frame, invitation: Invitation | 'over' | undefined): Html | undefined {
  if (invitation === undefined) return undefined;
  if (invitation === 'over') return html`<p class="notice">${texts.invite.over}</p>`;
  return html`<p class="notice">${texts.invite.banner(strong(invitation.inviter), strong(invitation.group))}</p>`;
}

export const invitedAddress = (invitation: Invitation | 'over' | undefined): string | undefined =>
  typeof invitation === 'object' ? invitation.invite.email : undefined;
