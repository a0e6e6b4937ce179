import { Injectable } from '@nestjs/common';
import type { InvalidationKey } from '@twinyard/auth';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { PendingOwners } from '../organizations/pending-owners';
import type { Language } from '../pages/texts/language';
import type { UserEntity } from '../users/user.entity';
import { userUpdated } from '../users/user.events';
import { UsersRepository } from '../users/users.repository';
import { AccountMails, languageOf } from './account-mails';
import { ConfirmationTokens } from './confirmation-tokens';
import { MailThrottle } from './mail-throttle';
import type { SignUpOrigin } from './sign-up-admission';

/** What follows from a confirmed address. */
@Injectable()
export class AccountFollowUps {
  constructor(
    private readonly owners: PendingOwners,
    private readonly outbox: Outbox,
  ) {}

  /** The answer is for the `keys` of `GrantFeed.commit`. */
  async of(tx: TypeOrmTx, user: UserEntity, origin: SignUpOrigin): Promise<InvalidationKey[]> {
    const keys = await this.owners.claim(tx, user, origin.requestId);
    await this.outbox.append(tx, userUpdated(user, { userId: user.id, ...origin }));
    return [`user:${user.id}`, ...keys];
  }
}

/** The page on which a mail was asked for. */
export interface AskedOn {
  readonly language: Language;
  /** The sign-in under way that the mail's link may lead back into. */
  readonly signInId?: string;
}

export interface ConfirmedAddress {
  readonly user: UserEntity;
  readonly signInId: string | undefined;
}

const LIFETIME_MS = 7 * 86_400_000;

/** Whether an account's address is its owner's: asked by mail, and worth what waits for that address. */
@Injectable()
export class AddressConfirmation {
  constructor(
    private readonly tokens: ConfirmationTokens,
    private readonly mails: AccountMails,
    private readonly users: UsersRepository,
    private readonly pending: AccountFollowUps,
    private readonly feed: GrantFeed,
    private readonly throttle: MailThrottle,
  ) {}

  /** In the transaction that makes the account. */
  async ask(tx: TypeOrmTx, user: UserEntity, requestId: string, asked?: AskedOn): Promise<void> {
    const { id: userId, email } = user;
    const token = this.tokens.sign({ userId, email, expiresAt: Date.now() + LIFETIME_MS, signInId: asked?.signInId });
    const link = this.mails.link(`/passportsvc/accounts/confirmations/${token}`);
    await this.mails.queue(tx, email, languageOf(user, asked?.language), ({ confirmation: { subject, body } }, platform) => ({ subject, body: body(platform, link) }), requestId);
  }

  /** In place of that: somebody wanted to make an account that there is already. Anybody can bring this mail about, so it comes so often and no more. */
  async tellKnown(tx: TypeOrmTx, user: UserEntity, requestId: string, asked: AskedOn): Promise<void> {
    if ((await this.throttle.take(tx, user.email)) > 0) return;
    await this.mails.queue(tx, user.email, languageOf(user, asked.language), ({ known: { subject, body } }, platform) => ({ subject, body: body(platform) }), requestId);
  }

  /** Whose address a token proves; `undefined` when it is not valid (any more). */
  async find(token: string): Promise<ConfirmedAddress | undefined> {
    const proof = this.tokens.read(token, Date.now());
    const user = proof && (await this.users.findById(proof.userId));
    return proof !== undefined && user?.email === proof.email ? { user, signInId: proof.signInId } : undefined;
  }

  /** May come twice. What waited for the address is its owner's when this returns, in every service. */
  async confirm(token: string, origin: SignUpOrigin): Promise<ConfirmedAddress | undefined> {
    const found = await this.find(token);
    if (found === undefined) return undefined;
    const confirmed = { ...found.user, emailVerified: true };
    await this.feed.commit(async (tx) => {
      await this.users.update(tx, confirmed.id, { emailVerified: true });
      return { result: undefined, keys: await this.pending.of(tx, confirmed, origin) };
    });
    return { ...found, user: confirmed };
  }
}
