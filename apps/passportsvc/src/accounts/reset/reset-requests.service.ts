import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type HeldJob, job, JobRunner, Jobs } from '@twinyard/jobs';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { z } from 'zod';
import { ClientSecrets } from '../../clients/client-secrets';
import { IdentityProvidersRepository } from '../../identityproviders/identity-providers.repository';
import { LANGUAGES } from '../../pages/texts/language';
import { toEmail, UsersRepository } from '../../users/users.repository';
import { AccountMails, languageOf } from '../account-mails';
import { MailThrottle } from '../mail-throttle';
import { PasswordResetsRepository } from './password-resets.repository';

const LIFETIME_SECONDS = 3_600;
/** Whoever waits for a mail longer than this has asked again. */
const GIVEN_UP_AFTER_MS = 900_000;

const resetRequest = z.object({ email: z.string(), language: z.enum(LANGUAGES) });
type ResetRequest = z.infer<typeof resetRequest>;

/** What was asked for at "Forgot your password?", before anybody has looked whether there is such an account. */
const RESET_REQUEST = job('passportsvc.reset-request', {
  schema: resetRequest, leaseMs: 6_000, longestMs: 60_000, retry: { attempts: 20, firstMs: 1_000, longestMs: 60_000 }, concurrency: 1, dead: 'forget',
});

/** Takes requests for a link by mail. It does the same for every address, so its time tells nobody whether there is an account. */
@Injectable()
export class ResetRequests {
  constructor(
    private readonly jobs: Jobs,
    private readonly throttle: MailThrottle,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  /** Seconds to wait before the next try; 0 when this one was taken. */
  async take({ email, language }: ResetRequest, asker: string, requestId: string): Promise<number> {
    return this.unitOfWork.run(async (tx) => {
      const seconds = await this.throttle.take(tx, email, asker);
      if (seconds === 0) await this.jobs.enqueue(tx, RESET_REQUEST, { email: toEmail(email), language }, { namespace: '', requestId });
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

  async write(tx: TypeOrmTx, { email, language }: ResetRequest, requestId?: string): Promise<void> {
    await this.resets.sweep(tx);
    const user = await this.users.findByEmail(email);
    if (user === undefined || user.disabled) return;
    const written = languageOf(user, language);
    // A password of its own would be a way past the organization that vouches for this person. Whom nobody vouches for any more gets one.
    if (user.passwordHash === null && (await this.providers.vouchFor(user))) return this.mails.queue(tx, email, written, ({ noPassword: { subject, body } }, platform) => ({ subject, body: body(platform) }), requestId);
    const token = this.secrets.generate();
    const link = this.mails.link(`/passportsvc/accounts/resets/${token}`);
    await this.resets.insert(tx, this.secrets.hash(token), user.id, LIFETIME_SECONDS);
    await this.mails.queue(tx, email, written, ({ reset: { subject, body } }, platform) => ({ subject, body: body(platform, link) }), requestId);
  }
}

/** Works requests off after they were answered; a request and its mail are one transaction. */
@Injectable()
export class ResetWorker implements OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly mails: ResetMails,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  onModuleInit(): void {
    this.runner.handle<ResetRequest, TypeOrmTx>(RESET_REQUEST, { run: (held) => this.perform(held) });
  }

  private async perform(held: HeldJob<ResetRequest, TypeOrmTx>): Promise<void> {
    if (held.ageMs > GIVEN_UP_AFTER_MS) return;
    await this.unitOfWork.run(async (tx) => {
      await this.mails.write(tx, held.payload, held.requestId);
      await held.finish(tx);
    });
  }
}
