import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type HeldJob, JobRunner } from '@twinyard/jobs';
import { type Logger, LOGGER } from '@twinyard/service-kit';
import { MailTransport } from '@twinyard/service-kit/mail';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { MAIL, type NewMail } from './mails.repository';

/** Behind the deadline of a mail, which ends it by itself. */
const MARGIN_MS = 10_000;
const DAY_MS = 86_400_000;

/** Sends queued mails; replicas share them. A mail that no server takes is given up after `MAIL_ATTEMPTS`. */
@Injectable()
export class MailWorker implements OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly transport: MailTransport,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const { MAIL_LEASE_MS: leaseMs, MAIL_ATTEMPTS: attempts, MAIL_RETRY_MS: firstMs, MAIL_DEADLINE_MS: deadlineMs } = this.settings;
    const longestMs = Math.min(deadlineMs + MARGIN_MS, DAY_MS);
    this.runner.handle(MAIL, { run: (held) => this.send(held) }, { leaseMs, longestMs, retry: { ...MAIL.retry, attempts, firstMs } });
  }

  private async send({ payload: { id, recipient, subject, body, html }, signal }: HeldJob<NewMail>): Promise<void> {
    await this.transport.send({ id, to: recipient, subject, body, html }, signal);
    this.logger.info({ mailId: id }, 'mail sent');
  }
}
