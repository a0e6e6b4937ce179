import { Injectable } from '@nestjs/common';
import { Passwords } from '../accounts/passwords';
import type { UserEntity } from '../users/user.entity';
import { toEmail, UsersRepository } from '../users/users.repository';
import { SignInFailuresRepository } from './sign-in-failures.repository';
import { accountKey, addressKey, waitSeconds } from './sign-in-throttle';

export type SignInResult =
  | { readonly outcome: 'signed-in'; readonly user: UserEntity }
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'slowed'; readonly seconds: number };

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Checks e-mail address and password. Neither the answer nor its time tells whether there is such an account. */
@Injectable()
export class SignIn {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly failures: SignInFailuresRepository,
  ) {}

  async run(credentials: Credentials, address: string): Promise<SignInResult> {
    return this.passwords.inTurn(() => this.attempt(credentials, address));
  }

  private async attempt({ email, password }: Credentials, address: string): Promise<SignInResult> {
    const account = accountKey(toEmail(email).slice(0, 320));
    const keys = [account, addressKey(address)];
    const seconds = waitSeconds(await this.failures.find(keys), new Date());
    if (seconds > 0) return { outcome: 'slowed', seconds };

    const user = await this.users.findByEmail(email);
    const matches = await this.passwords.matches(password, user?.passwordHash);
    if (!matches || user === undefined || user.disabled) {
      await this.failures.add(keys);
      return { outcome: 'refused' };
    }
    await this.failures.clear(account);
    return { outcome: 'signed-in', user };
  }
}
