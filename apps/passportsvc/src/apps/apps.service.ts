import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext, Target } from '@twinyard/auth';
import { type Action, type Authored, authoredBy, conflict, forbidden, newNamespace, newUuid, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { Outbox, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { callerOf } from '../namespaces/caller';
import type { Owner } from '../namespaces/owner';
import { ownerIds, ownerRefs, Owners } from '../namespaces/owners.service';
import type { Parent } from '../namespaces/parent';
import { Parents } from '../namespaces/parents.service';
import { AdministeredNamespaces } from '../usergroups/administered-namespaces';
import { adminGroup } from '../usergroups/group-lifecycle';
import { keepCommas } from './app-addresses';
import type { AppEntity } from './app.entity';
import { toAppEvent } from './apps.events';
import { type AppFilter, AppsRepository } from './apps.repository';

const TYPE = 'passportsvc:app';
/** Contract 1.4. */
const APPLICATION_ADMINS = 'default_app_user_group';

type Changeable = 'name' | 'shortName' | 'description' | 'userType' | 'redirectUris' | 'postLogoutRedirectUris' | 'authorizedOrigins' | 'authorizedGrantTypes' | 'responseMode' | 'whitelistedApps' | 'home' | 'loginTheme';
export type AppChanges = Partial<Pick<AppEntity, Changeable>>;

export interface AppDraft extends AppChanges {
  readonly name: string;
  readonly shortName: string;
  readonly orgId: string;
  /** E-mail address or user id; the caller without it. */
  readonly owner?: string;
}

@Injectable()
export class AppsService {
  constructor(
    private readonly apps: AppsRepository,
    private readonly parents: Parents,
    private readonly administered: AdministeredNamespaces,
    private readonly owners: Owners,
    private readonly feed: GrantFeed,
    private readonly outbox: Outbox,
  ) {}

  async create(ctx: RequestContext, { owner, ...draft }: AppDraft, keep?: KeepAnswer<AppEntity>): Promise<AppEntity> {
    const organization = await this.parents.organization(draft.orgId);
    if (organization === undefined) throw ctx.access.denial(['CREATE'], { type: TYPE, id: '*', namespaces: [] });
    ctx.access.require('CREATE', { type: TYPE, id: '*', namespaces: [organization.namespace] });
    const found = owner === undefined ? callerAsOwner(ctx) : await this.owners.find(owner, '_appOwner');
    return this.make(ctx, organization, { ...EMPTY, ...draft, ...found, id: newUuid(), namespace: newNamespace(draft.shortName), adminGroupId: null, ...authoredBy(ctx.callerId) }, keep);
  }

  list(ctx: RequestContext, filter: AppFilter, paging: Paging): Promise<Slice<AppEntity>> {
    return this.apps.list(ctx.access.scope('READ', TYPE), filter, paging);
  }

  async get(ctx: RequestContext, id: string): Promise<AppEntity> {
    const app = await this.apps.find(ctx.access.scope('READ', TYPE), id);
    if (app === undefined) throw notFound('application', id);
    return app;
  }

  async getFor(ctx: RequestContext, action: Action, id: string): Promise<AppEntity> {
    const app = await this.get(ctx, id);
    const organization = app.orgId === null ? undefined : await this.parents.organization(app.orgId);
    const target: Target = { type: TYPE, id: app.id, namespaces: [app.namespace, ...(organization ? [organization.namespace] : [])] };
    ctx.access.require(action, target);
    return app;
  }

  async update(ctx: RequestContext, id: string, changes: AppChanges, keep?: KeepAnswer<AppEntity>): Promise<AppEntity> {
    const before = await this.getFor(ctx, 'EDIT', id);
    const changed = { ...changes, ...addressesOf(changes, before), updatedAt: new Date(), updatedById: ctx.callerId };
    const app = { ...before, ...changed };
    return this.feed.commit(async (tx) => {
      if (!(await this.apps.update(tx, app.id, changed))) throw notFound('application', id);
      await this.outbox.append(tx, resourceUpdated('passportsvc.Application', toAppEvent(app), ctx.origin));
      return { result: app, keys: [] };
    }, keep);
  }

  async remove(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    const app = await this.getFor(ctx, 'DELETE', id);
    // It belongs to no organization.
    if (app.orgId === null) throw forbidden('The console is part of the platform');
    await this.feed.commit(async (tx) => {
      if (!(await this.apps.lockForRemoval(tx, app.id))) throw notFound('application', id);
      if (await this.apps.hasWorkspaces(tx, app.id)) throw conflict('The application still has workspaces');
      const keys = await this.administered.remove(tx, app.namespace, ctx.origin);
      await this.apps.remove(tx, app.id);
      await this.outbox.append(tx, resourceDeleted('passportsvc.Application', toAppEvent(app), ctx.origin));
      // Its users' tokens end with their grants; what it got as itself ends with it.
      return { result: undefined, keys: [...keys, `client:${app.id}`] };
    }, keep);
  }

  /** The application, its namespace, and the admin group of both. Whoever makes it holds everything in it, as its owner does. */
  private make(ctx: RequestContext, organization: Parent, draft: AppEntity, keep?: KeepAnswer<AppEntity>): Promise<AppEntity> {
    const group = adminGroup({ namespace: draft.namespace, appId: draft.id, orgId: draft.orgId }, APPLICATION_ADMINS, authoredBy(ctx.callerId));
    const app = { ...draft, adminGroupId: group.id };
    const owners = [callerOf(ctx), ...ownerRefs(app).filter(({ id }) => id !== ctx.callerId)];
    const place = { name: app.namespace, kind: 'application', ownerId: app.id, appId: app.id, orgId: app.orgId, hidden: false } as const;
    return this.feed.commit(async (tx) => {
      await this.parents.reserve(tx, organization, 'applications', 1);
      await this.apps.insert(tx, app);
      const keys = await this.administered.found(tx, place, { group, owners, memberIds: ownerIds(app) }, ctx.origin);
      await this.owners.invite(tx, app, ctx.origin);
      await this.outbox.append(tx, resourceCreated('passportsvc.Application', toAppEvent(app), ctx.origin));
      return { result: app, keys };
    }, keep);
  }
}

const EMPTY: Omit<AppEntity, 'id' | 'name' | 'shortName' | 'orgId' | 'ownerId' | 'pendingOwnerEmail' | 'adminGroupId' | 'namespace' | keyof Authored> = {
  description: '', userType: null, redirectUris: [], postLogoutRedirectUris: [], authorizedOrigins: [], authorizedGrantTypes: ['authorization_code'], responseMode: 'both',
  clientSecretHash: null, whitelistedApps: [], firstParty: false, home: null, loginTheme: null, configuration: null,
};

const addressesOf = (changes: AppChanges, before: AppEntity): AppChanges => ({
  ...(changes.redirectUris && { redirectUris: keepCommas(changes.redirectUris, before.redirectUris) }),
  ...(changes.postLogoutRedirectUris && { postLogoutRedirectUris: keepCommas(changes.postLogoutRedirectUris, before.postLogoutRedirectUris) }),
});

const callerAsOwner = ({ principal }: RequestContext): Owner | { ownerId: null; pendingOwnerEmail: null } =>
  principal.type === 'user' ? { ownerId: principal.id, pendingOwnerEmail: null } : { ownerId: null, pendingOwnerEmail: null };
