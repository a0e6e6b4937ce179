import { Injectable } from '@nestjs/common';
import type { InvalidationKey } from '@twinyard/auth';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { AccessKeys } from '../accesskeys/access-keys.service';
import type { Language } from '../pages/texts/language';
import { Sessions } from '../sessions/sessions.service';
import { SignInFailuresRepository } from '../sessions/sign-in-failures.repository';
import { accountKey } from '../sessions/sign-in-throttle';
import type { UserEntity } from '../users/user.entity';
import { UsersRepository } from '../users/users.repository';
import { AccountFollowUps } from './address-confirmation';
import { PasswordJournal } from './password-journal';
import type { SignUpOrigin } from './sign-up-admission';

/** The request that sets it, and the language of its page. */
export interface AskedFrom extends SignUpOrigin {
  readonly language: Language;
}

/** What a new password takes with it. Parts of a change that the caller commits through the grant feed, with the keys that come back. */
@Injectable()
export class NewPassword {
  constructor(
    private readonly users: UsersRepository,
    private readonly sessions: Sessions,
    private readonly accessKeys: AccessKeys,
    private readonly failures: SignInFailuresRepository,
    private readonly journal: PasswordJournal,
    private readonly followUps: AccountFollowUps,
  ) {}

  /** By somebody who knows the old one, in this session: all others end, access keys stay. */
  async change(tx: TypeOrmTx, user: UserEntity, passwordHash: string, asked: AskedFrom & { readonly sessionId: string }): Promise<InvalidationKey[]> {
    await this.journal.tell(tx, 'CHANGE_PASSWORD', user, asked);
    const keys = await this.set(tx, user, { passwordHash }, asked);
    return [...keys, ...(await this.sessions.endAllOf(tx, user.id, asked.sessionId))];
  }

  /** By somebody who reads the account's mail: nothing stays. Whoever had come in before may have left an access key behind. */
  async reset(tx: TypeOrmTx, user: UserEntity, passwordHash: string, asked: AskedFrom): Promise<InvalidationKey[]> {
    await this.journal.tell(tx, 'RESET_PASSWORD', user, asked);
    const keys = await this.set(tx, user, { passwordHash, emailVerified: true }, asked);
    return [...keys, ...(await this.sessions.endAllOf(tx, user.id)), ...(await this.accessKeys.removeAllOf(tx, user.id))];
  }

  private async set(tx: TypeOrmTx, user: UserEntity, changes: Partial<UserEntity>, { address, requestId }: AskedFrom): Promise<InvalidationKey[]> {
    const changed = { ...changes, updatedAt: new Date(), updatedById: user.id };
    await this.users.update(tx, user.id, changed);
    await this.failures.clear(tx, accountKey(user.email));
    return this.followUps.of(tx, { ...user, ...changed }, { address, requestId });
  }
}
