import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { forbidden, newUuid, notFound, type Slice } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { ClientsRepository } from '../../clients/clients.repository';
import { GrantFeed } from '../../grant-feed/grant-feed.service';
import { newUser } from '../../users/user.entity';
import type { UserAttributes } from '../schema/attribute-values';
import { ScimJournal } from './scim-journal';
import { attributesOf, isSameUser, type ScimUser, storedForm, versionOf } from './scim-user';
import { type Provider, ScimUsersRepository, type UserListing } from './scim-users.repository';
import { UserRemoval } from './user-removal';

/** From the attributes that a user has to those that it gets. */
export type UserChange = (current: UserAttributes) => UserAttributes;
/** @throws ServiceError `precondition_failed` when the caller has seen another version. */
export type Precondition = (version: string) => void;

export interface WantedChange {
  readonly change: UserChange;
  readonly precondition: Precondition;
}

/**
 * Users as a provider keeps them (RFC 7644). A client of an organization sees and changes those that clients of the organization
 * have made; a client of the platform all. Whom a client may not see does not exist for it.
 */
@Injectable()
export class ScimUsers {
  constructor(
    private readonly users: ScimUsersRepository,
    private readonly clients: ClientsRepository,
    private readonly feed: GrantFeed,
    private readonly journal: ScimJournal,
    private readonly removal: UserRemoval,
  ) {}

  /** Somebody new is active unless the provider says otherwise, and has no password. The address counts as proved by nobody. */
  async create(ctx: RequestContext, attributes: UserAttributes, keep?: KeepAnswer<ScimUser>): Promise<ScimUser> {
    const { orgId } = await this.providerOf(ctx);
    const id = newUuid();
    const { account, document } = storedForm(id, { active: true, ...attributes });
    const user: ScimUser = { account: newUser({ ...account, id, passwordHash: null, createdById: ctx.callerId }), orgId, document };
    return this.feed.commit(async (tx) => {
      await this.users.insert(tx, user);
      await this.journal.tell(tx, ctx, 'CREATE', user);
      return { result: user, keys: [] };
    }, keep);
  }

  async list(ctx: RequestContext, listing: UserListing): Promise<Slice<ScimUser>> {
    return this.users.list(await this.providerOf(ctx), listing);
  }

  async get(ctx: RequestContext, id: string): Promise<ScimUser> {
    const user = await this.users.find(await this.providerOf(ctx), id);
    if (user === undefined) throw notFound('user', id);
    return user;
  }

  /** A change that changes nothing writes nothing. Whoever is made inactive is out in every service when this returns. */
  async update(ctx: RequestContext, id: string, { change, precondition }: WantedChange, keep?: KeepAnswer<ScimUser>): Promise<ScimUser> {
    const provider = await this.providerOf(ctx);
    const now = new Date();
    return this.feed.commit(async (tx) => {
      const user = await this.hold(tx, provider, id);
      const before = attributesOf(user);
      precondition(versionOf(before));
      const after = change(before);
      if (isSameUser(before, after)) return { result: user, keys: [] };
      requireOrdinary(user);
      const changed = changedUser(user, after, { at: now, byId: ctx.callerId });
      await this.users.update(tx, changed);
      await this.journal.tell(tx, ctx, 'UPDATE', changed, user);
      const isOut = changed.account.disabled && !user.account.disabled;
      return { result: changed, keys: isOut ? await this.removal.putOut(tx, id) : [`user:${id}`] };
    }, keep);
  }

  /** The user is gone; what it has made stays, with its id. */
  async remove(ctx: RequestContext, id: string, precondition: Precondition, keep?: KeepAnswer<void>): Promise<void> {
    const provider = await this.providerOf(ctx);
    await this.feed.commit(async (tx) => {
      const user = await this.hold(tx, provider, id);
      precondition(versionOf(attributesOf(user)));
      requireOrdinary(user);
      // Nobody could give it another owner afterwards.
      if (await this.users.ownsSomething(tx, id)) throw forbidden('The user owns an organization or an application: it can be made inactive, not deleted');
      const keys = await this.removal.remove(tx, user.account, ctx.origin);
      await this.users.remove(tx, id);
      await this.journal.tell(tx, ctx, 'DELETE', user);
      return { result: undefined, keys };
    }, keep);
  }

  private async hold(tx: TypeOrmTx, provider: Provider, id: string): Promise<ScimUser> {
    const user = await this.users.hold(tx, provider, id);
    if (user === undefined) throw notFound('user', id);
    return user;
  }

  /** An application has a client id too, and no users. */
  private async providerOf({ callerId }: RequestContext): Promise<Provider> {
    const client = await this.clients.findById(callerId);
    if (client === undefined) throw forbidden('SCIM is for clients that a platform manager has made');
    return { orgId: client.orgId };
  }
}

/** A SCIM client must not become a platform manager by giving one's account another address. */
function requireOrdinary({ account }: ScimUser): void {
  if (account.platformManager) throw forbidden('Platform managers are not changed by SCIM');
}

function changedUser({ account, orgId }: ScimUser, attributes: UserAttributes, { at, byId }: { readonly at: Date; readonly byId: string }): ScimUser {
  const stored = storedForm(account.id, attributes);
  const emailVerified = account.emailVerified && stored.account.email === account.email;
  return { account: { ...account, ...stored.account, emailVerified, updatedAt: at, updatedById: byId }, orgId, document: stored.document };
}
