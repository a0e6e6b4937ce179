import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { beyondScope, forbidden, notFound, scopeAllows } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { LivingOwners } from '../ownership/living-owners';
import { Sessions } from '../sessions/sessions.service';
import { belongsToNoUser } from './no-user';
import type { UserEntity } from './user.entity';
import { userUpdated } from './user.events';
import { UsersRepository } from './users.repository';

export type UserChanges = Partial<Pick<UserEntity, 'firstname' | 'lastname' | 'locale' | 'disabled'>>;

/** Users see and change themselves; platform managers everybody. To all others a user does not exist. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly feed: GrantFeed,
    private readonly sessions: Sessions,
    private readonly outbox: Outbox,
    private readonly owners: LivingOwners,
  ) {}

  async getMe(ctx: RequestContext): Promise<UserEntity> {
    if (ctx.principal.type !== 'user') throw belongsToNoUser();
    return this.get(ctx, ctx.callerId);
  }

  async get(ctx: RequestContext, id: string): Promise<UserEntity> {
    if (!scopeAllows(ctx.principal.scopes, 'READ')) throw beyondScope('READ');
    const user = id === ctx.callerId || ctx.access.isPlatformManager ? await this.users.findById(id) : undefined;
    if (user === undefined) throw notFound('user', id);
    return user;
  }

  async update(ctx: RequestContext, id: string, changes: UserChanges, keep?: KeepAnswer<UserEntity>): Promise<UserEntity> {
    const user = await this.get(ctx, id);
    if (!scopeAllows(ctx.principal.scopes, 'EDIT')) throw beyondScope('EDIT');
    if (changes.disabled !== undefined && changes.disabled !== user.disabled && !ctx.access.isPlatformManager) {
      throw forbidden('Only a platform manager enables and disables users');
    }
    const changed = { ...changes, updatedAt: new Date(), updatedById: ctx.callerId };
    const result = { ...user, ...changed };
    const event = userUpdated(result, ctx.origin);
    return this.feed.commit(async (tx) => {
      if (changes.disabled === true && user.platformManager) this.owners.beforeLossOfManager(tx);
      await this.users.update(tx, id, changed);
      const keys = changes.disabled === true ? await this.sessions.endAllOf(tx, id) : [`user:${id}`];
      await this.outbox.append(tx, event);
      return { result, keys };
    }, keep);
  }
}
