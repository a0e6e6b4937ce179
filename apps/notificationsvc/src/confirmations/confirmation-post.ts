import { Inject, Injectable } from '@nestjs/common';
import { MailTransport } from '@twinyard/service-kit/mail';
import { type NotificationsvcSettings, SETTINGS } from '../config';

/** The mail under the platform's own name, and how many there may be. */
@Injectable()
export class ConfirmationPost {
  readonly perAddress: number;
  readonly perNamespace: number;

  constructor(private readonly mail: MailTransport, @Inject(SETTINGS) settings: NotificationsvcSettings) {
    this.perAddress = settings.CONFIRMATIONS_PER_DAY;
    this.perNamespace = settings.CONFIRMATIONS_OF_NAMESPACE_PER_DAY;
  }

  send(id: string, to: string, { subject, body }: { subject: string; body: string }, signal: AbortSignal): Promise<void> {
    return this.mail.send({ id, to, subject, body, html: false }, signal);
  }
}
