import { Injectable } from '@nestjs/common';
import { Outbox } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { GrantFeed } from '../../grant-feed/grant-feed.service';
import { ACCOUNT_CLIENT_ID } from '../../oauth/oidc-clients';
import type { Language } from '../../pages/texts/language';
import { Sessions } from '../../sessions/sessions.service';
import { SignIn, type SignInOrigin, type SignInResult } from '../../sessions/sign-in.service';
import type { UserEntity } from '../../users/user.entity';
import { userUpdated } from '../../users/user.events';
import { UsersRepository } from '../../users/users.repository';
import { AddressConfirmation } from '../address-confirmation';
import { MailThrottle } from '../mail-throttle';
import { type AskedFrom, NewPassword } from '../new-password';
import { Passwords } from '../passwords';
import type { SignUpOrigin } from '../sign-up-admission';

export type Profile = Pick<UserEntity, 'firstname' | 'lastname' | 'locale'>;

/** What people change about themselves on the account page. */
@Injectable()
export class AccountSettings {
  constructor(
    private readonly users: UsersRepository,
    private readonly sessions: Sessions,
    private readonly feed: GrantFeed,
    private readonly outbox: Outbox,
  ) {}

  async saveProfile(user: UserEntity, profile: Profile, origin: SignUpOrigin): Promise<void> {
    const changed = { ...profile, updatedAt: new Date(), updatedById: user.id };
    const event = userUpdated({ ...user, ...changed }, { userId: user.id, ...origin });
    await this.feed.commit(async (tx) => {
      await this.users.update(tx, user.id, changed);
      await this.outbox.append(tx, event);
      return { result: undefined, keys: [`user:${user.id}`] };
    });
  }

  /** In force in every service when it returns. */
  async signOut(user: UserEntity, sessionId: string, origin: SignUpOrigin): Promise<void> {
    await this.sessions.end(sessionId, { id: user.id, ...origin, appId: ACCOUNT_CLIENT_ID });
  }

  async signOutEverywhere(user: UserEntity, origin: SignUpOrigin): Promise<void> {
    await this.sessions.endEverywhere({ id: user.id, ...origin });
  }
}

/** The old password is asked for, and guessing it is slowed down as on the sign-in page. */
@Injectable()
export class PasswordChange {
  constructor(
    private readonly signIn: SignIn,
    private readonly passwords: Passwords,
    private readonly newPassword: NewPassword,
    private readonly feed: GrantFeed,
  ) {}

  check({ email }: UserEntity, password: string, origin: SignInOrigin): Promise<SignInResult> {
    return this.signIn.run({ email, password }, origin);
  }

  async change(user: UserEntity, password: string, asked: AskedFrom & { readonly sessionId: string }): Promise<void> {
    const passwordHash = await this.passwords.hash(password);
    await this.feed.commit(async (tx) => ({ result: undefined, keys: await this.newPassword.change(tx, user, passwordHash, asked) }));
  }
}

/** Another mail to confirm the account's address; too many at a time are left out. */
@Injectable()
export class ConfirmationMails {
  constructor(
    private readonly confirmation: AddressConfirmation,
    private readonly throttle: MailThrottle,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  async send(user: UserEntity, requestId: string, asked: { readonly language: Language; readonly signInId?: string }): Promise<void> {
    await this.unitOfWork.run(async (tx) => {
      if ((await this.throttle.take(tx, user.email)) === 0) await this.confirmation.ask(tx, user, requestId, asked);
    });
  }
}
