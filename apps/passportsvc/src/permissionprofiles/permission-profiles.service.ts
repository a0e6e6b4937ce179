import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type KeepAnswer, LaterWork, type Outcome, type RequestContext } from '@twinyard/auth';
import { authoredBy, newUuid, notFound, type Paging, type Slice, toWholePage } from '@twinyard/conventions';
import { Outbox, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import type { FinishRequest } from '@twinyard/jobs';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { namespacesAfter, requireRequested } from '../namespaces/requested-namespaces';
import type { PermissionDraft } from '../permissions/permissions.repository';
import { type ProfileWithPermissions, toProfileRecord } from './permission-profile.dto';
import { PermissionProfileEntity, PROFILE_TYPE, profileTarget } from './permission-profile.entity';
import { toProfileEvent } from './permission-profiles.events';
import { PermissionProfilesRepository, type ProfileFilter } from './permission-profiles.repository';
import { ProfileGrants } from './profile-grants';
import { parseProfilePermissions, requireShareable } from './profile-permissions';

export interface ProfileDraft {
  readonly name: string;
  readonly userType: string;
  readonly namespaces: readonly string[];
  /** As the caller sent them. */
  readonly permissions: readonly unknown[];
}

interface UpdateWork {
  readonly id: string;
  readonly changes: Partial<ProfileDraft>;
}

const CREATE = 'create permission profiles';
const UPDATE = 'update a permission profile';

/**
 * Faults and missing rights are answered at once; the write itself is a durable request (contract 1.4), which asks for the
 * rights again when it is done.
 */
@Injectable()
export class PermissionProfilesService implements OnModuleInit {
  constructor(
    private readonly profiles: PermissionProfilesRepository,
    private readonly grants: ProfileGrants,
    private readonly feed: GrantFeed,
    private readonly outbox: Outbox,
    private readonly later: LaterWork,
  ) {}

  onModuleInit(): void {
    this.later.register<readonly ProfileDraft[]>(CREATE, (ctx, drafts, finish) => this.performCreate(ctx, drafts, finish));
    this.later.register<UpdateWork>(UPDATE, (ctx, work, finish) => this.performUpdate(ctx, work, finish));
  }

  async list(ctx: RequestContext, filter: ProfileFilter, paging: Paging): Promise<Slice<ProfileWithPermissions>> {
    return this.grants.joinSlice(await this.profiles.list(ctx.access.scope('READ', PROFILE_TYPE), filter, paging));
  }

  async get(ctx: RequestContext, id: string): Promise<ProfileWithPermissions> {
    const profile = await this.profiles.find(ctx.access.scope('READ', PROFILE_TYPE), id);
    const [found] = await this.grants.join(profile === undefined ? [] : [profile]);
    if (found === undefined) throw notFound('permission profile', id);
    return found;
  }

  create(ctx: RequestContext, drafts: readonly ProfileDraft[]): Promise<Outcome> {
    if (drafts.length === 0) ctx.access.requireAnywhere('CREATE', PROFILE_TYPE);
    drafts.forEach((draft, index) => this.check(ctx, draft, `[${index}]`));
    return this.later.accept(ctx, CREATE, drafts);
  }

  async update(ctx: RequestContext, id: string, changes: Partial<ProfileDraft>): Promise<Outcome> {
    await this.planUpdate(ctx, { id, changes });
    return this.later.accept(ctx, UPDATE, { id, changes });
  }

  async remove(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    const { profile } = await this.get(ctx, id);
    ctx.access.require('DELETE', profileTarget(profile.namespaces, id));
    await this.feed.commit(async (tx) => {
      if (!(await this.profiles.remove(tx, id))) throw notFound('permission profile', id);
      await this.grants.removeAll(tx, id);
      await this.outbox.append(tx, resourceDeleted('passportsvc.PermissionProfile', toProfileEvent(profile), ctx.origin));
      return { result: undefined, keys: [`permprofile:${id}`] };
    }, keep);
  }

  private check(ctx: RequestContext, draft: ProfileDraft, field: string, id = newUuid()): PermissionDraft[] {
    requireRequested(ctx, draft.namespaces, `${field}._namespaces`);
    const permissions = parseProfilePermissions(draft.permissions, id, ctx.callerId, `${field}._permissions`);
    ctx.access.requireInAll('CREATE', profileTarget(draft.namespaces));
    requireShareable(ctx, permissions, []);
    return permissions;
  }

  private async performCreate(ctx: RequestContext, drafts: readonly ProfileDraft[], finish: FinishRequest): Promise<void> {
    const made = drafts.map((draft, index) => {
      const id = newUuid();
      const { name, userType } = draft;
      const profile = Object.assign(new PermissionProfileEntity(), { id, name, userType, namespaces: unique(draft.namespaces), ...authoredBy(ctx.callerId) });
      return { profile, permissions: this.check(ctx, draft, `[${index}]`, id) };
    });
    await this.feed.commit(async (tx) => {
      const written = [];
      for (const { profile, permissions } of made) {
        await this.profiles.insert(tx, profile);
        written.push({ profile, permissions: await this.grants.replace(tx, profile.id, permissions) });
      }
      await finish(tx, { status: 201, body: toWholePage(written.map(toProfileRecord)) });
      await this.outbox.append(tx, ...made.map(({ profile }) => resourceCreated('passportsvc.PermissionProfile', toProfileEvent(profile), ctx.origin)));
      return { result: undefined, keys: made.map(({ profile }) => `permprofile:${profile.id}` as const) };
    });
  }

  private async performUpdate(ctx: RequestContext, work: UpdateWork, finish: FinishRequest): Promise<void> {
    const { profile, permissions, held } = await this.planUpdate(ctx, work);
    await this.feed.commit(async (tx: TypeOrmTx) => {
      if (!(await this.profiles.update(tx, profile))) throw notFound('permission profile', profile.id);
      const written = permissions === undefined ? held : await this.grants.replace(tx, profile.id, permissions);
      await finish(tx, { status: 200, body: toProfileRecord({ profile, permissions: written }) });
      await this.outbox.append(tx, resourceUpdated('passportsvc.PermissionProfile', toProfileEvent(profile), ctx.origin));
      return { result: undefined, keys: [`permprofile:${profile.id}` as const] };
    });
  }

  /** The profile as it will be; `permissions` is absent when they stay. */
  private async planUpdate(ctx: RequestContext, { id, changes }: UpdateWork) {
    const { profile: stored, permissions: held } = await this.get(ctx, id);
    ctx.access.require('EDIT', profileTarget(stored.namespaces, id));
    const namespaces = changes.namespaces === undefined ? stored.namespaces : namespacesAfter(ctx, stored.namespaces, changes.namespaces);
    ctx.access.requireInAll('CREATE', profileTarget(namespaces.filter((namespace) => !stored.namespaces.includes(namespace))));
    const permissions = changes.permissions && parseProfilePermissions(changes.permissions, id, ctx.callerId, '_permissions');
    requireShareable(ctx, permissions ?? [], held);
    const { name = stored.name, userType = stored.userType } = changes;
    return { profile: Object.assign(new PermissionProfileEntity(), stored, { name, userType, namespaces, updatedAt: new Date(), updatedById: ctx.callerId }), permissions, held };
  }
}

const unique = (values: readonly string[]) => [...new Set(values)];
