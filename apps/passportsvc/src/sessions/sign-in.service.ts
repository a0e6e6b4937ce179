import { Injectable } from '@nestjs/common';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { Passwords } from '../accounts/passwords';
import type { UserEntity } from '../users/user.entity';
import { toEmail, UsersRepository } from '../users/users.repository';
import { KnownDevices } from './known-devices';
import { SignInFailuresRepository } from './sign-in-failures.repository';
import { accountKey, addressKey, deviceKey, waitSeconds } from './sign-in-throttle';

export type SignInResult =
  | { readonly outcome: 'signed-in'; readonly user: UserEntity; readonly deviceCookie?: string }
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'slowed'; readonly seconds: number };

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Where a try comes from. */
export interface SignInOrigin {
  readonly address: string;
  /** The request's `Cookie` header. */
  readonly cookies?: string | undefined;
}

/** What counts the wrong passwords of a try. */
interface Counters {
  /** Counted before the password is looked at, so that tries at the same moment do not all pass. */
  readonly account: string;
  /** Counted afterwards, since people behind one router do sign in at the same moment. */
  readonly address?: string;
}

/** Checks e-mail address and password. Neither the answer nor its time tells whether there is such an account. */
@Injectable()
export class SignIn {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly failures: SignInFailuresRepository,
    private readonly devices: KnownDevices,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  async run(credentials: Credentials, origin: SignInOrigin): Promise<SignInResult> {
    return this.passwords.inTurn(() => this.attempt(credentials, origin));
  }

  private async attempt({ email: typed, password }: Credentials, origin: SignInOrigin): Promise<SignInResult> {
    const email = toEmail(typed);
    const counters = this.countersOf(email, origin);
    const seconds = await this.begin(counters);
    if (seconds > 0) return { outcome: 'slowed', seconds };

    const user = await this.users.findByEmail(email);
    const matches = await this.passwords.matches(password, user?.passwordHash);
    if (!matches || user === undefined || user.disabled) {
      const { address } = counters;
      if (address !== undefined) await this.unitOfWork.run((tx) => this.failures.count(tx, address));
      return { outcome: 'refused' };
    }
    await this.succeed(counters, user, password);
    return { outcome: 'signed-in', user, deviceCookie: this.devices.cookieFor(email) };
  }

  /** A browser that the owner knows has a count of its own: what strangers try does not slow it down. */
  private countersOf(email: string, { address, cookies }: SignInOrigin): Counters {
    const deviceId = this.devices.find(cookies, email);
    return deviceId === undefined ? { account: accountKey(email), address: addressKey(address) } : { account: deviceKey(deviceId) };
  }

  /** Seconds to wait; 0 when the try may go on, which then counts. */
  private async begin({ account, address }: Counters): Promise<number> {
    return this.unitOfWork.run(async (tx) => {
      const history = await this.failures.hold(tx, address === undefined ? [account] : [account, address]);
      const seconds = waitSeconds(history);
      if (seconds === 0) await this.failures.count(tx, account);
      return seconds;
    });
  }

  /** The password is at hand now and at no other time: a hash of older parameters is made anew. */
  private async succeed({ account }: Counters, { id, passwordHash }: UserEntity, password: string): Promise<void> {
    const isOutdated = passwordHash !== null && this.passwords.isOutdated(passwordHash);
    const renewed = isOutdated ? await this.passwords.hashNow(password) : undefined;
    await this.unitOfWork.run(async (tx) => {
      await this.failures.clear(tx, account);
      if (renewed !== undefined && passwordHash !== null) await this.users.renewPasswordHash(tx, id, { from: passwordHash, to: renewed });
    });
  }
}
