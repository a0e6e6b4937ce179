import { Injectable } from '@nestjs/common';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { ClientSecrets } from '../../clients/client-secrets';
import { GrantFeed } from '../../grant-feed/grant-feed.service';
import type { Language } from '../../pages/texts/language';
import type { UserEntity } from '../../users/user.entity';
import { UsersRepository } from '../../users/users.repository';
import { AccountMails, languageOf } from '../account-mails';
import { MailThrottle } from '../mail-throttle';
import { type AskedFrom, NewPassword } from '../new-password';
import { Passwords } from '../passwords';
import { PasswordResetsRepository } from './password-resets.repository';

const LIFETIME_SECONDS = 3_600;

/** Asks for a link by mail. Neither the answer nor its time tells whether there is such an account: both take one commit. */
@Injectable()
export class ResetRequests {
  constructor(
    private readonly users: UsersRepository,
    private readonly resets: PasswordResetsRepository,
    private readonly secrets: ClientSecrets,
    private readonly mails: AccountMails,
    private readonly throttle: MailThrottle,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  /** Seconds to wait before the next try; 0 when this one was taken. */
  async take(email: string, asker: string, language: Language): Promise<number> {
    const user = await this.users.findByEmail(email);
    const token = this.secrets.generate();
    return this.unitOfWork.run(async (tx) => {
      const seconds = await this.throttle.take(tx, email, asker);
      if (seconds === 0 && user !== undefined && !user.disabled) await this.send(tx, user, token, language);
      return seconds;
    });
  }

  private async send(tx: TypeOrmTx, user: UserEntity, token: string, language: Language): Promise<void> {
    const written = languageOf(user, language);
    // A password of its own would be a way past the organization that vouches for this person.
    if (user.passwordHash === null) return this.mails.queue(tx, user.email, written, ({ noPassword: { subject, body } }, platform) => ({ subject, body: body(platform) }));
    const link = this.mails.link(`/passportsvc/accounts/resets/${token}`);
    await this.resets.sweep(tx);
    await this.resets.insert(tx, this.secrets.hash(token), user.id, LIFETIME_SECONDS);
    await this.mails.queue(tx, user.email, written, ({ reset: { subject, body } }, platform) => ({ subject, body: body(platform, link) }));
  }
}

/** Sets a new password by such a link: once, and what the user had before ends everywhere when the call returns. */
@Injectable()
export class PasswordResets {
  constructor(
    private readonly users: UsersRepository,
    private readonly resets: PasswordResetsRepository,
    private readonly secrets: ClientSecrets,
    private readonly passwords: Passwords,
    private readonly newPassword: NewPassword,
    private readonly feed: GrantFeed,
  ) {}

  /** Whose password a link sets; `undefined` when it is not valid (any more). */
  async find(token: string): Promise<UserEntity | undefined> {
    const userId = await this.resets.findUserId(this.secrets.hash(token));
    const user = userId === undefined ? undefined : await this.users.findById(userId);
    return user?.disabled === false && user.passwordHash !== null ? user : undefined;
  }

  /** False when the link was used meanwhile. */
  async reset(token: string, user: UserEntity, password: string, asked: AskedFrom): Promise<boolean> {
    const [tokenHash, passwordHash] = [this.secrets.hash(token), await this.passwords.hash(password)];
    return this.feed.commit(async (tx) => {
      if (!(await this.resets.take(tx, tokenHash, user.id))) return { result: false, keys: [] };
      return { result: true, keys: await this.newPassword.reset(tx, user, passwordHash, asked) };
    });
  }
}
