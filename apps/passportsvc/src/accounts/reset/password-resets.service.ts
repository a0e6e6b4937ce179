import { Injectable } from '@nestjs/common';
import { ClientSecrets } from '../../clients/client-secrets';
import { GrantFeed } from '../../grant-feed/grant-feed.service';
import type { UserEntity } from '../../users/user.entity';
import { UsersRepository } from '../../users/users.repository';
import { type AskedFrom, NewPassword } from '../new-password';
import { Passwords } from '../passwords';
import { PasswordResetsRepository } from './password-resets.repository';

/** Sets a new password by the link of a mail: once, and what the user had before ends everywhere when the call returns. */
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
    return user?.disabled === false ? user : undefined;
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
