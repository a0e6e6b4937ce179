import { Inject, Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { MailsRepository } from '../mails/mails.repository';
import { type Texts, TEXTS } from '../pages/texts';
import { type Language, languageFor } from '../pages/texts/language';
import type { UserEntity } from '../users/user.entity';

export interface AccountMail {
  readonly subject: string;
  readonly body: string;
}

/** `platform` is where it runs: the same for all mails. */
export type WrittenIn = (mails: Texts['mails'], platform: string) => AccountMail;

/** Mails to people about their account, each in the reader's language. */
@Injectable()
export class AccountMails {
  constructor(
    private readonly mails: MailsRepository,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** With the change that it tells of: sent once the transaction has been committed. `requestId`: of the request that makes the change. */
  async queue(tx: TypeOrmTx, recipient: string, language: Language, write: WrittenIn, requestId?: string): Promise<void> {
    await this.mails.insert(tx, { id: newUuid(), recipient, html: false, ...write(TEXTS[language].mails, this.settings.BASE_URL) }, { requestId });
  }

  link(path: string): string {
    return `${this.settings.BASE_URL}${path}`;
  }
}

/** The account's own language, or that of the page where the mail was asked for. */
export const languageOf = ({ locale }: Pick<UserEntity, 'locale'>, asked?: Language): Language => languageFor({ locale, acceptLanguage: asked });
