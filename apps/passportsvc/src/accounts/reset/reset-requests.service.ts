import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, PollingWorker, type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { ClientSecrets } from '../../clients/client-secrets';
import { PASSPORT_SETTINGS, type PassportSettings } from '../../config';
import { IdentityProvidersRepository } from '../../identityproviders/identity-providers.repository';
import { toEmail, UsersRepository } from '../../users/users.repository';
import { AccountMails, languageOf } from '../account-mails';
import { MailThrottle } from '../mail-throttle';
import { PasswordResetsRepository } from './password-resets.repository';
import { type ResetRequest, ResetRequestsRepository } from './reset-requests.repository';

const LIFETIME_SECONDS = 3_600;

/** Takes requests for a link by mail. It does the same for every address, so its time tells nobody whether there is an account. */
@Injectable()
export class ResetRequests {
  constructor(
    private readonly requests: ResetRequestsRepository,
    private readonly throttle: MailThrottle,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  /** Seconds to wait before the next try; 0 when this one was taken. */
  async take({ email, language }: ResetRequest, asker: string): Promise<number> {
    return this.unitOfWork.run(async (tx) => {
      const seconds = await this.throttle.take(tx, email, asker);
      if (seconds === 0) await this.requests.insert(tx, { email: toEmail(email), language });
      return seconds;
    });
  }
}

/** Writes the mail that a link comes in. */
@Injectable()
export class ResetMails {
  constructor(
    private readonly users: UsersRepository,
    private readonly resets: PasswordResetsRepository,
    private readonly secrets: ClientSecrets,
    private readonly mails: AccountMails,
    private readonly providers: IdentityProvidersRepository,
  ) {}

  async write(tx: TypeOrmTx, { email, language }: ResetRequest): Promise<void> {
    await this.resets.sweep(tx);
    const user = await this.users.findByEmail(email);
    if (user === undefined || user.disabled) return;
    const written = languageOf(user, language);
    // A password of its own would be a way past the organization that vouches for this person. Whom nobody vouches for any more gets one.
    if (user.passwordHash === null && (await this.providers.vouchFor(user))) return this.mails.queue(tx, email, written, ({ noPassword: { subject, body } }, platform) => ({ subject, body: body(platform) }));
    const token = this.secrets.generate();
    const link = this.mails.link(`/passportsvc/accounts/resets/${token}`);
    await this.resets.insert(tx, this.secrets.hash(token), user.id, LIFETIME_SECONDS);
    await this.mails.queue(tx, email, written, ({ reset: { subject, body } }, platform) => ({ subject, body: body(platform, link) }));
  }
}

/** Works requests off after they were answered; a request and its mail are one transaction. */
@Injectable()
export class ResetWorker extends PollingWorker {
  constructor(
    private readonly requests: ResetRequestsRepository,
    private readonly mails: ResetMails,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    @Inject(PASSPORT_SETTINGS) settings: PassportSettings,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ pollMs: settings.MAIL_POLL_MS, what: 'requests for new passwords', logger });
  }

  protected override step(): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      const request = await this.requests.take(tx);
      if (request !== undefined) await this.mails.write(tx, request);
      return request !== undefined;
    });
  }
}
