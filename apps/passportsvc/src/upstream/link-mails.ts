import { Inject, Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { MailsRepository } from '../mails/mails.repository';
import { type Language, languageFor } from '../pages/texts/language';
import type { UserEntity } from '../users/user.entity';
import { UpstreamAttemptsRepository } from './upstream-attempts.repository';
import { UpstreamStates } from './upstream-state';
import { UPSTREAM_TEXTS } from './upstream-texts';

/** To one address in a quarter of an hour: a hostile issuer could claim anybody's. */
const MAX_MAILS = 3;

export interface LinkMail {
  readonly attemptId: string;
  readonly account: UserEntity;
  readonly provider: string;
  /** Of the page; the account's own goes before it. */
  readonly language: Language;
  /** Path of the attempt's pages, which only the browser of this sign-in can open. */
  readonly action: string;
  /** Of the request that asks for it. */
  readonly requestId: string;
}

/** Links by which the owner of an account agrees to be signed in by an identity provider. */
@Injectable()
export class LinkMails {
  constructor(
    private readonly attempts: UpstreamAttemptsRepository,
    private readonly mails: MailsRepository,
    private readonly states: UpstreamStates,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** One for each sign-in, however often it is asked for. False when the address has had too many. */
  async send({ attemptId, account, provider, language, action, requestId }: LinkMail): Promise<boolean> {
    const { subject, body } = UPSTREAM_TEXTS[languageFor({ locale: account.locale, acceptLanguage: language })].linkMail;
    const platform = this.settings.BASE_URL;
    const link = `${platform}${action}/link/${this.states.linkToken(attemptId, account.id)}`;
    return this.unitOfWork.run(async (tx) => {
      const claimed = await this.attempts.claimMail(tx, attemptId, account.email, MAX_MAILS);
      const mail = { id: newUuid(), recipient: account.email, html: false, subject: subject(provider), body: body(provider, platform, link) };
      if (claimed === 'free') await this.mails.insert(tx, mail, { requestId });
      return claimed !== 'too-many';
    });
  }

  isLink(token: string, attemptId: string, account: UserEntity): boolean {
    return this.states.isLinkToken(token, attemptId, account.id);
  }
}
