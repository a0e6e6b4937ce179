import { Inject, Injectable } from '@nestjs/common';
import type { InvalidationKey } from '@twinyard/auth';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { UserIdentitiesRepository } from '../identityproviders/user-identities.repository';
import { PendingOwners } from '../organizations/pending-owners';
import { RevocationsRepository } from '../sessions/revocations.repository';
import { Sessions } from '../sessions/sessions.service';
import type { UserEntity } from '../users/user.entity';
import { userUpdated } from '../users/user.events';
import { UsersRepository } from '../users/users.repository';

/** What writes an account that gets an owner, beside its own row. */
@Injectable()
export class AccountBelongings {
  constructor(
    readonly identities: UserIdentitiesRepository,
    readonly sessions: Sessions,
    readonly revocations: RevocationsRepository,
    readonly owners: PendingOwners,
  ) {}
}

/** The owner of an account's address has come, by an issuer's trusted word or by a mailed link. */
@Injectable()
export class ProvedAddress {
  constructor(
    private readonly users: UsersRepository,
    private readonly belongings: AccountBelongings,
    private readonly outbox: Outbox,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /**
   * Anybody can make an account with anybody's address, and wait in it for the address's owner. So with the proof goes every key
   * that was made without: password, sessions, access keys, and what else was connected.
   */
  async takeOver(tx: TypeOrmTx, account: UserEntity, { address, requestId }: { readonly address: string; readonly requestId: string }): Promise<InvalidationKey[]> {
    const { id } = account;
    const { identities, sessions, revocations } = this.belongings;
    const changes = { emailVerified: true, passwordHash: null, updatedAt: new Date(), updatedById: id };
    await this.users.update(tx, id, changes);
    await identities.removeNotAgreed(tx, id);
    const keyIds = await identities.removeAccessKeys(tx, id);
    for (const keyId of keyIds) await revocations.add(tx, 'authorization', keyId, this.settings.MAX_TOKEN_SECONDS);
    const ended = await sessions.endAllOf(tx, id);
    const owner = { ...account, ...changes };
    await this.outbox.append(tx, userUpdated(owner, { userId: id, requestId, address }));
    return [...ended, ...keyIds.map((keyId) => `oauthgrant:${keyId}` as const), ...(await this.claim(tx, owner, requestId))];
  }

  /** What waited for the address. */
  claim(tx: TypeOrmTx, user: UserEntity, requestId: string): Promise<InvalidationKey[]> {
    return this.belongings.owners.claim(tx, user, requestId);
  }
}
