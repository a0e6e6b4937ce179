import { Inject, Injectable } from '@nestjs/common';
import { type Logger, LOGGER, PollingWorker, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { MailTransport } from '@twinyard/service-kit/mail';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { MailsRepository, type QueuedMail } from './mails.repository';

const LONGEST_WAIT_MS = 3_600_000;

/** Sends queued mails; replicas share them. A mail that no server takes is given up after `MAIL_ATTEMPTS`. */
@Injectable()
export class MailWorker extends PollingWorker {
  constructor(
    private readonly mails: MailsRepository,
    private readonly transport: MailTransport,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ pollMs: settings.MAIL_POLL_MS, what: 'mails', logger });
  }

  protected override async step(): Promise<boolean> {
    const leaseMs = this.settings.MAIL_LEASE_MS;
    const mail = await this.unitOfWork.run((tx) => this.mails.claimDue(tx, leaseMs));
    if (mail === undefined) return false;
    const heartbeat = setInterval(() => {
      this.unitOfWork.run((tx) => this.mails.postpone(tx, mail, leaseMs)).catch(() => undefined);
    }, leaseMs / 3);
    await this.send(mail).finally(() => clearInterval(heartbeat));
    return true;
  }

  private async send(mail: QueuedMail): Promise<void> {
    const { id, attempts } = mail;
    try {
      await this.transport.send({ id, to: mail.recipient, subject: mail.subject, body: mail.body, html: mail.html });
    } catch (error) {
      this.logger.warn({ mailId: id, attempts, err: error }, 'a mail was not taken');
      await this.unitOfWork.run((tx) => this.afterFailure(tx, mail));
      return;
    }
    await this.unitOfWork.run((tx) => this.mails.remove(tx, mail));
    this.logger.info({ mailId: id }, 'mail sent');
  }

  private async afterFailure(tx: Parameters<MailsRepository['remove']>[0], mail: QueuedMail): Promise<void> {
    const { id, attempts } = mail;
    if (attempts < this.settings.MAIL_ATTEMPTS) {
      return this.mails.postpone(tx, mail, Math.min(this.settings.MAIL_RETRY_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS));
    }
    this.logger.error({ mailId: id, attempts }, 'a mail was given up');
    return this.mails.remove(tx, mail);
  }
}
