import { Inject, Injectable } from '@nestjs/common';
import type { EventOrigin } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../../config';
import { InvitationLimit } from '../../mails/invitation-limit';
import { languageFor } from '../../pages/texts/language';
import { UsersRepository } from '../../users/users.repository';
import { AccountMails } from '../account-mails';
import { SignedTokens } from '../signed-tokens';

const PURPOSE = 'owner invitation';

/** What was given to an address that nobody had proved to read. */
export interface OwnerInvitation {
  readonly email: string;
  /** Name of the organization or application. */
  readonly place: string;
}

/** Contract 1.4: "The owner named by an unknown e-mail, or by one that its account has not confirmed, is invited." */
@Injectable()
export class OwnerMails {
  constructor(
    private readonly mails: AccountMails,
    private readonly tokens: SignedTokens,
    private readonly users: UsersRepository,
    private readonly limit: InvitationLimit,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** Nobody knows the owner's language yet; it is probably that of whoever names it, and for whom the mail counts. The link is in no answer of the API: who has it reads the mail. */
  async invite(tx: TypeOrmTx, { email, place }: OwnerInvitation, { userId: inviterId, requestId }: EventOrigin): Promise<void> {
    await this.limit.take(tx, [email], inviterId);
    const language = languageFor({ locale: (await this.users.findById(inviterId))?.locale });
    const expiresAt = Date.now() + this.settings.INVITE_TTL_SECONDS * 1_000;
    const link = this.mails.link(`/passportsvc/accounts/invitations/${this.tokens.sign(PURPOSE, [email, place, expiresAt])}`);
    const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(expiresAt);
    await this.mails.queue(tx, email, language, ({ owner: { subject, body } }, platform) => ({ subject: subject(place), body: body(place, platform, link, day) }), requestId);
  }

  /** What a link says; `undefined` for one that was not made here, or is too old. */
  read(token: string): OwnerInvitation | undefined {
    const [email = '', place = '', expiresAt = 0] = this.tokens.read(PURPOSE, token) ?? [];
    return Number(expiresAt) > Date.now() ? { email: String(email), place: String(place) } : undefined;
  }
}
