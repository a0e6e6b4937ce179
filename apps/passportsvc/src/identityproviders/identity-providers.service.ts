import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { beyondScope, newUuid, notFound, type Paging, scopeAllows, type Slice } from '@twinyard/conventions';
import type { OrganizationEntity } from '../organizations/organization.entity';
import { OrganizationsService } from '../organizations/organizations.service';
import type { IdentityProviderEntity } from './identity-provider.entity';
import { IdentityProvidersRepository } from './identity-providers.repository';
import { NewIssuers } from './new-issuers';
import { changed, drafted, type ProviderChanges, type ProviderDraft } from './provider-draft';
import { ProviderLifecycle } from './provider-lifecycle';
import { ProviderSecrets } from './provider-secrets';

/** The identity providers of organizations: for their owners and admin groups, and for platform managers. */
@Injectable()
export class IdentityProviders {
  constructor(
    private readonly providers: IdentityProvidersRepository,
    private readonly organizations: OrganizationsService,
    private readonly lifecycle: ProviderLifecycle,
    private readonly issuers: NewIssuers,
    private readonly secrets: ProviderSecrets,
  ) {}

  async list(ctx: RequestContext, orgId: string, paging: Paging): Promise<Slice<IdentityProviderEntity>> {
    return this.providers.list((await this.organizations.getFor(ctx, 'READ', orgId)).id, paging);
  }

  async get(ctx: RequestContext, orgId: string, id: string): Promise<IdentityProviderEntity> {
    return this.found((await this.organizations.getFor(ctx, 'READ', orgId)).id, id);
  }

  async create(ctx: RequestContext, orgId: string, draft: ProviderDraft, keep?: KeepAnswer<IdentityProviderEntity>): Promise<IdentityProviderEntity> {
    const organization = await this.organizationToChange(ctx, orgId);
    await this.issuers.require(ctx, draft.issuer);
    const provider = drafted(ctx, this.secrets, { ...draft, id: newUuid(), orgId: organization.id });
    return this.lifecycle.make(ctx, organization, provider, keep);
  }

  /** A new issuer means other people: what was connected through the old one is not taken over. */
  async update(ctx: RequestContext, orgId: string, id: string, changes: ProviderChanges, keep?: KeepAnswer<IdentityProviderEntity>): Promise<IdentityProviderEntity> {
    const organization = await this.organizationToChange(ctx, orgId);
    const known = await this.found(organization.id, id);
    const hasNewIssuer = changes.issuer !== undefined && changes.issuer !== known.issuer;
    if (hasNewIssuer) await this.issuers.require(ctx, changes.issuer ?? known.issuer);
    return this.lifecycle.change(ctx, organization, { provider: changed(ctx, this.secrets, known, changes), disconnects: hasNewIssuer }, keep);
  }

  async remove(ctx: RequestContext, orgId: string, id: string, keep?: KeepAnswer<void>): Promise<void> {
    const organization = await this.organizationToChange(ctx, orgId);
    await this.lifecycle.remove(ctx, organization, await this.found(organization.id, id), keep);
  }

  private async found(orgId: string, id: string): Promise<IdentityProviderEntity> {
    const provider = await this.providers.findIn(orgId, id);
    if (provider === undefined) throw notFound('identity provider', id);
    return provider;
  }

  private async organizationToChange(ctx: RequestContext, orgId: string): Promise<OrganizationEntity> {
    if (!ctx.access.isPlatformManager) return this.organizations.getFor(ctx, 'EDIT', orgId);
    if (!scopeAllows(ctx.principal.scopes, 'EDIT')) throw beyondScope('EDIT');
    return this.organizations.getFor(ctx, 'READ', orgId);
  }
}
