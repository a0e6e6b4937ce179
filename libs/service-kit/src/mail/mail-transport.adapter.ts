import { mkdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { signalWithin } from '../signal-within';
import { MAIL_SETTINGS, type MailSettings } from './mail-settings';

export interface Mail {
  /** Stays the same when the mail is tried again, so that a mail server or client can tell. */
  readonly id: string;
  readonly from?: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  readonly html: boolean;
  /** Where one gets out of further mails of this kind (RFC 2369), with one POST of a mail program too (RFC 8058). */
  readonly cancelLink?: string;
}

/** Mail by SMTP, or on the one-machine platform without a mail server as a file (contract 0.7). */
@Injectable()
export class MailTransport implements OnApplicationShutdown {
  private readonly transporter: Transporter;

  constructor(@Inject(MAIL_SETTINGS) private readonly settings: MailSettings) {
    this.transporter = settings.SMTP_URL === undefined
      ? (createTransport({ streamTransport: true, buffer: true, newline: 'windows' }) as unknown as Transporter)
      : (createTransport(settings.SMTP_URL, { disableFileAccess: true, disableUrlAccess: true } as object) as unknown as Transporter);
    if (settings.SMTP_URL === undefined) mkdirSync(settings.MAIL_DIR, { recursive: true });
  }

  /** @throws Error when the mail server has not taken it before the deadline, which counts from the look-up of its name to its last answer. */
  async send(mail: Mail, ending?: AbortSignal): Promise<void> {
    const sent = (await this.transporter.sendMail({
      from: mail.from ?? this.settings.MAIL_FROM,
      // As a mailbox: a text would be read as a header, in which commas, brackets and comments mean something.
      to: { name: '', address: mail.to },
      signal: signalWithin(this.settings.MAIL_DEADLINE_MS, ending),
      subject: mail.subject.replace(/\s+/g, ' ').trim(),
      ...(mail.html ? { html: mail.body } : { text: mail.body }),
      messageId: `<${mail.id}@${new URL(this.settings.BASE_URL).hostname}>`,
      headers: { ...(mail.cancelLink !== undefined && { 'List-Unsubscribe': `<${mail.cancelLink}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }), 'Auto-Submitted': 'auto-generated' },
    })) as { message?: Buffer };
    if (this.settings.SMTP_URL === undefined && sent.message !== undefined) await this.writeFile(mail.id, sent.message);
  }

  onApplicationShutdown(): void {
    this.transporter.close();
  }

  private async writeFile(id: string, message: Buffer): Promise<void> {
    const file = join(this.settings.MAIL_DIR, `${id}.eml`);
    await writeFile(`${file}.part`, message, { mode: 0o600 });
    await rename(`${file}.part`, file);
  }
}
