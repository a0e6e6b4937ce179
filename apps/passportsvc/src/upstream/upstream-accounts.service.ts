import { Injectable } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { coversAddress } from '../identityproviders/identity-provider.entity';
import { type UserIdentity, UserIdentitiesRepository } from '../identityproviders/user-identities.repository';
import { ProvisionedUsers } from '../scim/provisioned-users.repository';
import type { UserEntity } from '../users/user.entity';
import { UsersRepository } from '../users/users.repository';
import { decideLink, type LinkDecision, type LinkedAccount, type LinkFacts, type Refusal } from './link-decision';
import { UpstreamAttemptsRepository } from './upstream-attempts.repository';
import { type Arrival, UpstreamLinks } from './upstream-links';

export type Resolution =
  | { readonly outcome: 'signed-in'; readonly userId: string }
  /** The owner of this account has to agree first. */
  | { readonly outcome: 'ask'; readonly account: UserEntity }
  | { readonly outcome: 'refused'; readonly reason: Refusal }
  /** Its provider was removed, or it has led to an account before. */
  | { readonly outcome: 'over' };

interface Known {
  readonly identity: UserIdentity | undefined;
  readonly account: UserEntity | undefined;
  readonly isProvisionedHere: boolean;
}

type Change = Awaited<ReturnType<Parameters<GrantFeed['commit']>[0]>> & { readonly result: Resolution };

/** What could not be foreseen before the transaction: somebody made an account of the same address in the same moment. */
const MAX_TRIES = 3;

/** Whose account somebody signs in to who comes back from an identity provider. */
@Injectable()
export class UpstreamAccounts {
  constructor(
    private readonly identities: UserIdentitiesRepository,
    private readonly attempts: UpstreamAttemptsRepository,
    private readonly links: UpstreamLinks,
    private readonly provisioned: ProvisionedUsers,
    private readonly users: UsersRepository,
    private readonly feed: GrantFeed,
  ) {}

  async resolve(arrival: Arrival): Promise<Resolution> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const provisionedId = await this.provisionedBy(arrival);
        return await this.feed.commit((tx) => this.decide(tx, arrival, provisionedId));
      } catch (error) {
        if (attempt < MAX_TRIES && error instanceof ServiceError && error.code === 'conflict') continue;
        throw error;
      }
    }
  }

  /** The account's owner has agreed: by its password, or by the link that was mailed to its address. */
  async join(arrival: Arrival, userId: string, proof: 'password' | 'mail'): Promise<Resolution> {
    return this.feed.commit(async (tx): Promise<Change> => {
      await this.lock(tx, arrival);
      const account = await this.identities.holdAccount(tx, { id: userId });
      if (account === undefined) return settled({ outcome: 'over' });
      if (account.disabled) return settled({ outcome: 'refused', reason: 'disabled' });
      if (!(await this.attempts.finish(tx, arrival.attemptId))) return settled({ outcome: 'over' });
      const proves = proof === 'mail';
      const keys = await this.links.link(tx, arrival, account, { agreed: proves || account.emailVerified, proves });
      return { result: { outcome: 'signed-in', userId }, keys };
    });
  }

  private async decide(tx: TypeOrmTx, arrival: Arrival, provisionedId: string | undefined): Promise<Change> {
    await this.lock(tx, arrival);
    const known = await this.findKnown(tx, arrival, provisionedId);
    const decision = decideLink(factsOf(arrival, known, arrival.isSignUpOpen));
    if (decision.kind === 'refuse') return settled({ outcome: 'refused', reason: decision.reason });
    if (decision.kind === 'ask' && known.account !== undefined) return settled({ outcome: 'ask', account: known.account });
    if (!(await this.attempts.finish(tx, arrival.attemptId))) return settled({ outcome: 'over' });
    return this.carryOut(tx, arrival, known, decision);
  }

  private async carryOut(tx: TypeOrmTx, arrival: Arrival, { account, identity }: Known, decision: LinkDecision): Promise<Change> {
    const { email } = arrival.profile;
    if (decision.kind === 'provision' && email !== undefined) {
      const { user, keys } = await this.links.provision(tx, arrival, email, decision.proves);
      return { result: { outcome: 'signed-in', userId: user.id }, keys };
    }
    if (account === undefined) throw new Error(`a decision without an account: ${decision.kind}`);
    if (identity !== undefined && decision.kind === 'sign-in') await this.identities.touch(tx, identity);
    const keys = decision.kind === 'link' ? await this.links.link(tx, arrival, account, { agreed: true, proves: decision.proves }) : [];
    return { result: { outcome: 'signed-in', userId: account.id }, keys };
  }

  private async findKnown(tx: TypeOrmTx, { provider, profile: { subject, email } }: Arrival, provisionedId: string | undefined): Promise<Known> {
    const identity = await this.identities.find(tx, provider.id, subject);
    const by = identity === undefined ? email !== undefined && { email } : { id: identity.userId };
    const account = by === false ? undefined : await this.identities.holdAccount(tx, by);
    return { identity, account, isProvisionedHere: account !== undefined && account.id === provisionedId };
  }

  /** The account of the address, when SCIM of the same organization made it; asked before the transaction, which has one connection. */
  private async provisionedBy({ provider, profile: { email } }: Arrival): Promise<string | undefined> {
    const user = email === undefined ? undefined : await this.users.findByEmail(email);
    return user !== undefined && (await this.provisioned.isProvisionedBy(user.id, provider.orgId)) ? user.id : undefined;
  }

  private lock(tx: TypeOrmTx, { provider, profile: { subject, email } }: Arrival): Promise<void> {
    return this.identities.lock(tx, { providerId: provider.id, subject, email });
  }
}

const settled = (result: Resolution): Change => ({ result, keys: [] });

function factsOf({ provider, profile }: Arrival, { identity, account, isProvisionedHere }: Known, isSignUpOpen: boolean): LinkFacts {
  return {
    isTrusted: provider.trusted, provisions: provider.provision, isSignUpOpen, address: addressOf(provider, profile), identity: identityOf(identity),
    account: account && toLinkedAccount(account, isProvisionedHere, profile.email),
  };
}

const toLinkedAccount = ({ disabled, emailVerified, email }: UserEntity, isProvisionedHere: boolean, claimed: string | undefined): LinkedAccount => ({
  isDisabled: disabled, isAddressProved: emailVerified, isProvisionedHere, hasThisAddress: email === claimed,
});

function addressOf(provider: Arrival['provider'], { email, emailVerified }: Arrival['profile']): LinkFacts['address'] {
  if (email === undefined) return 'none';
  if (!coversAddress(provider, email)) return 'other-domain';
  return emailVerified ? 'verified' : 'claimed';
}

function identityOf(identity: UserIdentity | undefined): LinkFacts['identity'] {
  if (identity === undefined) return 'none';
  return identity.agreed ? 'agreed' : 'claimed';
}
