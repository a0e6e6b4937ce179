import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext, Target } from '@twinyard/auth';
import { type Action, authoredBy, conflict, CONSOLE_APP_ID, forbidden, newNamespace, newUuid, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { Outbox, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { ownerIds, ownerRefs, Owners } from '../namespaces/owners.service';
import type { RecordFilter } from '../namespaces/record-filter';
import { AdministeredNamespaces } from '../usergroups/administered-namespaces';
import { adminGroup } from '../usergroups/group-lifecycle';
import type { UserEntity } from '../users/user.entity';
import type { OrganizationEntity } from './organization.entity';
import { toOrganizationEvent } from './organizations.events';
import { OrganizationsRepository, type OrganizationVisibility } from './organizations.repository';

const TYPE = 'passportsvc:organization';
const ORGANIZATION_ADMINS = 'default_org_user_group';

export interface OrganizationDraft {
  readonly name: string;
  readonly shortName: string;
  readonly description: string;
  readonly userType: string | null;
  /** E-mail address or user id. */
  readonly owner: string;
}

export type OrganizationChanges = Partial<Pick<OrganizationEntity, 'name' | 'description' | 'userType'>>;

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly administered: AdministeredNamespaces,
    private readonly owners: Owners,
    private readonly feed: GrantFeed,
    private readonly outbox: Outbox,
  ) {}

  /** Specification 1: only by a platform manager with a token of the console application. */
  async create(ctx: RequestContext, { owner, ...draft }: OrganizationDraft, keep?: KeepAnswer<OrganizationEntity>): Promise<OrganizationEntity> {
    if (!ctx.access.isPlatformManager || ctx.principal.appId !== CONSOLE_APP_ID) throw forbidden('Only a platform manager in the console makes organizations');
    const authored = authoredBy(ctx.callerId);
    const [id, namespace, found] = [newUuid(), newNamespace(draft.shortName), await this.owners.find(owner, '_orgOwner')];
    const group = adminGroup({ namespace, appId: null, orgId: id }, ORGANIZATION_ADMINS, authored);
    const organization: OrganizationEntity = { ...draft, ...found, id, namespace, adminGroupId: group.id, configuration: null, ...authored };
    return this.feed.commit(async (tx) => {
      await this.organizations.insert(tx, organization);
      const place = { name: namespace, kind: 'organization', ownerId: id, appId: null, orgId: id, hidden: false } as const;
      const admins = { group, owners: ownerRefs(organization), memberIds: ownerIds(organization) };
      const keys = await this.administered.found(tx, place, admins, ctx.origin);
      await this.owners.invite(tx, organization, ctx.origin);
      await this.outbox.append(tx, resourceCreated('passportsvc.Organization', toOrganizationEvent(organization), ctx.origin));
      return { result: organization, keys };
    }, keep);
  }

  list(ctx: RequestContext, filter: RecordFilter, paging: Paging): Promise<Slice<OrganizationEntity>> {
    return this.organizations.list(visibilityOf(ctx), filter, paging);
  }

  async get(ctx: RequestContext, id: string): Promise<OrganizationEntity> {
    const organization = await this.organizations.find(visibilityOf(ctx), id);
    if (organization === undefined) throw notFound('organization', id);
    return organization;
  }

  /** One that the caller may not only see. A platform manager reads them all, and changes those that it owns. */
  async getFor(ctx: RequestContext, action: Action, id: string): Promise<OrganizationEntity> {
    const organization = await this.get(ctx, id);
    const target: Target = { type: TYPE, id: organization.id, namespaces: [organization.namespace] };
    if (action === 'READ' && ctx.access.isPlatformManager) return organization;
    ctx.access.require(action, target);
    return organization;
  }

  async update(ctx: RequestContext, id: string, changes: OrganizationChanges, keep?: KeepAnswer<OrganizationEntity>): Promise<OrganizationEntity> {
    const changed = { ...changes, updatedAt: new Date(), updatedById: ctx.callerId };
    const organization = { ...(await this.getFor(ctx, 'EDIT', id)), ...changed };
    return this.feed.commit(async (tx) => {
      if (!(await this.organizations.update(tx, organization.id, changed))) throw notFound('organization', id);
      await this.outbox.append(tx, resourceUpdated('passportsvc.Organization', toOrganizationEvent(organization), ctx.origin));
      return { result: organization, keys: [] };
    }, keep);
  }

  async remove(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    const organization = await this.getFor(ctx, 'DELETE', id);
    await this.feed.commit(async (tx) => {
      if (!(await this.organizations.lockForRemoval(tx, organization.id))) throw notFound('organization', id);
      if (await this.organizations.isInUse(tx, organization.id)) throw conflict('The organization still has applications or workspaces');
      const keys = await this.administered.remove(tx, organization.namespace, ctx.origin);
      await this.organizations.remove(tx, organization.id);
      await this.outbox.append(tx, resourceDeleted('passportsvc.Organization', toOrganizationEvent(organization), ctx.origin));
      return { result: undefined, keys };
    }, keep);
  }

  /** Names and addresses are for those who may READ the organization; to belong to it is not enough. */
  async listUsers(ctx: RequestContext, id: string, text: string | undefined, paging: Paging): Promise<Slice<UserEntity>> {
    const organization = await this.getFor(ctx, 'READ', id);
    return this.organizations.listUsers(organization.id, text, paging);
  }
}

const visibilityOf = (ctx: RequestContext): OrganizationVisibility => ({
  scope: ctx.access.scope('READ', TYPE), memberOf: ctx.access.groupIds, all: ctx.access.isPlatformManager,
});
