import { Injectable } from '@nestjs/common';
import type { InvalidationKey, KeepAnswer, RequestContext } from '@twinyard/auth';
import { formatIrn, newNamespace, newUuid, notFound } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { AuditLog } from '../audit/audit-log';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import type { OrganizationEntity } from '../organizations/organization.entity';
import { Sessions } from '../sessions/sessions.service';
import { GroupLifecycle } from '../usergroups/group-lifecycle';
import type { UserGroupEntity } from '../usergroups/usergroup.entity';
import type { IdentityProviderEntity } from './identity-provider.entity';
import { IdentityProvidersRepository } from './identity-providers.repository';
import { UserIdentitiesRepository } from './user-identities.repository';

const GROUP_TYPE = 'identity_provider_user_group';
const MAX_SHORT_NAME = 22;

interface ProviderChange {
  /** As it will be. */
  readonly provider: IdentityProviderEntity;
  /** Whether whoever is connected through it is so no more. */
  readonly disconnects: boolean;
}

/** Making, changing and removing identity providers, with what hangs on them: their group, the connections of users, the sessions. */
@Injectable()
export class ProviderLifecycle {
  constructor(
    private readonly providers: IdentityProvidersRepository,
    private readonly identities: UserIdentitiesRepository,
    private readonly groups: GroupLifecycle,
    private readonly sessions: Sessions,
    private readonly feed: GrantFeed,
    private readonly audit: AuditLog,
  ) {}

  /** With a group that shows its people in the organization and that rights can be given to. */
  async make(ctx: RequestContext, organization: OrganizationEntity, draft: IdentityProviderEntity, keep?: KeepAnswer<IdentityProviderEntity>): Promise<IdentityProviderEntity> {
    const group = groupOf(organization, draft);
    const provider = { ...draft, groupId: group.id };
    return this.feed.commit(async (tx) => {
      const keys = await this.groups.make(tx, { group, owners: [{ type: 'usergroup', id: organization.adminGroupId }], memberIds: [] }, ctx.origin);
      await this.providers.insert(tx, provider);
      await this.record(tx, ctx, 'CREATE', { organization, provider });
      return { result: provider, keys };
    }, keep);
  }

  async change(ctx: RequestContext, organization: OrganizationEntity, { provider, disconnects }: ProviderChange, keep?: KeepAnswer<IdentityProviderEntity>): Promise<IdentityProviderEntity> {
    return this.feed.commit(async (tx) => {
      if (!(await this.providers.update(tx, provider))) throw notFound('identity provider', provider.id);
      await this.record(tx, ctx, 'EDIT', { organization, provider });
      return { result: provider, keys: disconnects ? await this.disconnectAll(tx, provider.id) : [] };
    }, keep);
  }

  /** Whoever came in through it is out, in every service, when this returns. The group stays, with its rights, as one like others. */
  async remove(ctx: RequestContext, organization: OrganizationEntity, provider: IdentityProviderEntity, keep?: KeepAnswer<void>): Promise<void> {
    await this.feed.commit(async (tx) => {
      const keys = await this.disconnectAll(tx, provider.id);
      if (!(await this.providers.remove(tx, provider.id))) throw notFound('identity provider', provider.id);
      if (provider.groupId !== null) await this.identities.releaseGroup(tx, provider.groupId);
      await this.record(tx, ctx, 'DELETE', { organization, provider });
      return { result: undefined, keys };
    }, keep);
  }

  private async disconnectAll(tx: TypeOrmTx, providerId: string): Promise<InvalidationKey[]> {
    const keys: InvalidationKey[] = [];
    for (const userId of await this.identities.removeAllOf(tx, providerId)) keys.push(...(await this.sessions.endAllOf(tx, userId)));
    return keys;
  }

  private async record(tx: TypeOrmTx, ctx: RequestContext, action: string, { organization, provider }: { readonly organization: OrganizationEntity; readonly provider: IdentityProviderEntity }): Promise<void> {
    const { id, issuer, domains, provision, trusted } = provider;
    await this.audit.record(tx, ctx, { action, irn: formatIrn('passportsvc', 'identityprovider', id), namespace: organization.namespace, details: { issuer, domains, provision, trusted } });
  }
}

/** Counts towards no limit and cannot be removed while its provider is there. */
const groupOf = ({ id: orgId, namespace: parentNamespace }: OrganizationEntity, provider: IdentityProviderEntity): UserGroupEntity => ({
  id: newUuid(), name: provider.name, shortName: provider.name.slice(0, MAX_SHORT_NAME), description: `People who sign in through ${provider.name}`, userType: GROUP_TYPE, userAttributes: {},
  namespace: newNamespace(provider.name), parentNamespace, appId: null, orgId, isDefault: true,
  createdAt: provider.createdAt, updatedAt: provider.updatedAt, createdById: provider.createdById, updatedById: provider.updatedById,
});
