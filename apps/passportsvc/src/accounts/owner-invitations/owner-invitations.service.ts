import { Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import { GrantFeed } from '../../grant-feed/grant-feed.service';
import { newUser, type UserEntity } from '../../users/user.entity';
import { userCreated } from '../../users/user.events';
import { UsersRepository } from '../../users/users.repository';
import { AccountFollowUps } from '../address-confirmation';
import { InvitedAddressesRepository } from '../invited-addresses.repository';
import { Passwords } from '../passwords';
import type { SignUpOrigin } from '../sign-up-admission';
import type { SignUp } from '../sign-ups.service';
import type { OwnerInvitation } from './owner-mails';

/** An owner gets what waits for its address: with an account that is made for it, or with the one that there is. */
@Injectable()
export class OwnerInvitations {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly invited: InvitedAddressesRepository,
    private readonly followUps: AccountFollowUps,
    private readonly feed: GrantFeed,
    private readonly outbox: Outbox,
  ) {}

  /** The account of the address, `'nobody'`, or `undefined` when nothing waits for it any more. */
  async findAccount({ email }: OwnerInvitation): Promise<UserEntity | 'nobody' | undefined> {
    if (!(await this.invited.isAwaited(email))) return undefined;
    const user = await this.users.findByEmail(email);
    return user?.disabled === true ? undefined : (user ?? 'nobody');
  }

  /** The mail's link shows that its address is read by whoever is here. In force in every service when it returns. */
  async create({ email }: OwnerInvitation, { password, firstname, lastname, locale }: Omit<SignUp, 'email'>, origin: SignUpOrigin): Promise<void> {
    const id = newUuid();
    const passwordHash = await this.passwords.hash(password);
    const user = newUser({ id, email, passwordHash, createdById: id, firstname, lastname, locale, emailVerified: true });
    const event = userCreated(user, { userId: id, ...origin });
    await this.feed.commit(async (tx) => {
      await this.users.insert(tx, user);
      await this.outbox.append(tx, event);
      return { result: undefined, keys: await this.followUps.of(tx, user, origin) };
    });
  }

  /** The account's own address was proved before, at the moment at which it was invited. */
  async claim(user: UserEntity, origin: SignUpOrigin): Promise<void> {
    await this.feed.commit(async (tx) => ({ result: undefined, keys: await this.followUps.of(tx, user, origin) }));
  }
}
