import { Injectable } from '@nestjs/common';
import { GrantFeed } from '../../grant-feed/grant-feed.service';
import type { UserEntity } from '../../users/user.entity';
import { type AskedFrom, NewPassword } from '../new-password';
import { Passwords } from '../passwords';

/**
 * Anybody can make an account with anybody's address, and wait in it for what its owner is given. So whoever reads the mail sets the
 * password, as by the link of a mail for that, and what was left in the account ends.
 */
@Injectable()
export class TakeOverAccount {
  constructor(
    private readonly passwords: Passwords,
    private readonly newPassword: NewPassword,
    private readonly feed: GrantFeed,
  ) {}

  /** In force in every service when it returns. */
  async run(user: UserEntity, password: string, asked: AskedFrom): Promise<void> {
    const passwordHash = await this.passwords.hash(password);
    await this.feed.commit(async (tx) => ({ result: undefined, keys: await this.newPassword.reset(tx, user, passwordHash, asked) }));
  }
}
