import { Injectable } from '@nestjs/common';
import type { InvalidationKey } from '@twinyard/auth';
import { newUuid } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { IdentityProviderEntity } from '../identityproviders/identity-provider.entity';
import { UserIdentitiesRepository } from '../identityproviders/user-identities.repository';
import { GroupLifecycle } from '../usergroups/group-lifecycle';
import { newUser, type UserEntity } from '../users/user.entity';
import { UsersRepository } from '../users/users.repository';
import { LinkJournal } from './link-journal';
import { ProvedAddress } from './proved-address';
import type { UpstreamProfile } from './upstream-profile';

/** Somebody back from an identity provider, in a browser. */
export interface Arrival {
  readonly attemptId: string;
  readonly provider: IdentityProviderEntity;
  readonly profile: UpstreamProfile;
  /** Anybody may make an account here. */
  readonly isSignUpOpen: boolean;
  readonly address: string;
  readonly requestId: string;
}

export interface LinkTerms {
  /** The owner of the account's address stands behind it. */
  readonly agreed: boolean;
  /** And has proved it just now. */
  readonly proves: boolean;
}

/** Connects subjects of identity providers with accounts, and makes accounts for them. Each answers keys for the change feed. */
@Injectable()
export class UpstreamLinks {
  constructor(
    private readonly identities: UserIdentitiesRepository,
    private readonly users: UsersRepository,
    private readonly groups: GroupLifecycle,
    private readonly proved: ProvedAddress,
    private readonly journal: LinkJournal,
  ) {}

  async link(tx: TypeOrmTx, arrival: Arrival, account: UserEntity, { agreed, proves }: LinkTerms): Promise<InvalidationKey[]> {
    const { provider, profile } = arrival;
    const keys = proves && !account.emailVerified ? await this.proved.takeOver(tx, account, arrival) : [];
    await this.identities.upsert(tx, { providerId: provider.id, subject: profile.subject, userId: account.id, agreed });
    await this.journal.linked(tx, arrival, account.id);
    return [...keys, ...(await this.enterGroup(tx, arrival, account.id))];
  }

  /** @throws ServiceError `conflict` when somebody has made an account of this address meanwhile. */
  async provision(tx: TypeOrmTx, arrival: Arrival, email: string, proves: boolean): Promise<{ readonly user: UserEntity; readonly keys: InvalidationKey[] }> {
    const { provider, profile: { subject, firstname, lastname, locale }, requestId } = arrival;
    const id = newUuid();
    const user = newUser({ id, email, passwordHash: null, createdById: id, firstname, lastname, locale, emailVerified: proves });
    await this.users.insert(tx, user);
    await this.journal.made(tx, arrival, user);
    const keys = await this.proved.claim(tx, user, requestId);
    await this.identities.upsert(tx, { providerId: provider.id, subject, userId: id, agreed: proves });
    await this.journal.linked(tx, arrival, id);
    return { user, keys: [...keys, ...(await this.enterGroup(tx, arrival, id))] };
  }

  /** Once: whom an owner takes out of the group stays out. */
  private async enterGroup(tx: TypeOrmTx, { provider, address, requestId }: Arrival, userId: string): Promise<InvalidationKey[]> {
    const group = provider.groupId === null ? undefined : await this.identities.findGroup(tx, provider.groupId);
    return group === undefined ? [] : this.groups.addMembers(tx, group, [userId], { userId, requestId, address });
  }
}
