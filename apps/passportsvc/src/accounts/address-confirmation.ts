import { Inject, Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { MailsRepository } from '../mails/mails.repository';
import { PendingOwners } from '../organizations/pending-owners';
import type { UserEntity } from '../users/user.entity';
import { userUpdated } from '../users/user.events';
import { UsersRepository } from '../users/users.repository';
import { ConfirmationTokens } from './confirmation-tokens';

/** What follows from a confirmed address. */
@Injectable()
export class AccountFollowUps {
  constructor(
    private readonly owners: PendingOwners,
    private readonly outbox: Outbox,
  ) {}

  async of(tx: TypeOrmTx, user: UserEntity, requestId: string) {
    const keys = await this.owners.claim(tx, user, requestId);
    await this.outbox.append(tx, userUpdated(user, { userId: user.id, requestId }));
    return keys;
  }
}

const LIFETIME_MS = 7 * 86_400_000;

/** Whether an account's address is its owner's: asked by mail, and worth what waits for that address. */
@Injectable()
export class AddressConfirmation {
  constructor(
    private readonly tokens: ConfirmationTokens,
    private readonly mails: MailsRepository,
    private readonly users: UsersRepository,
    private readonly pending: AccountFollowUps,
    private readonly feed: GrantFeed,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** In the transaction that makes the account. */
  async ask(tx: TypeOrmTx, { id, email }: UserEntity): Promise<void> {
    const token = this.tokens.sign({ userId: id, email, expiresAt: Date.now() + LIFETIME_MS });
    const link = `${this.settings.BASE_URL}/passportsvc/accounts/confirmations/${token}`;
    await this.mails.insert(tx, {
      id: newUuid(), recipient: email, html: false, subject: 'Confirm your e-mail address',
      body: `An account was made with this e-mail address at ${this.settings.BASE_URL}.\n\nTo confirm that it is yours, open this link within seven days:\n${link}\n\nIf it was not you, you need not do anything.\n`,
    });
  }

  /** Whose address a token proves; `undefined` when it is not valid (any more). */
  async find(token: string): Promise<UserEntity | undefined> {
    const proof = this.tokens.read(token, Date.now());
    const user = proof && (await this.users.findById(proof.userId));
    return user?.email === proof?.email ? user : undefined;
  }

  /** May come twice. What waited for the address is its owner's when this returns, in every service. */
  async confirm(token: string, requestId: string): Promise<UserEntity | undefined> {
    const user = await this.find(token);
    if (user === undefined) return undefined;
    const confirmed = { ...user, emailVerified: true };
    await this.feed.commit(async (tx) => {
      await this.users.update(tx, user.id, { emailVerified: true });
      return { result: undefined, keys: [`user:${user.id}`, ...(await this.pending.of(tx, confirmed, requestId))] };
    });
    return confirmed;
  }
}
