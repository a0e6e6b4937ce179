import { Injectable } from '@nestjs/common';
import { deriveScopes, type KeepAnswer, type RequestContext } from '@twinyard/auth';
import { type Action, authoredBy, forbidden, invalidField, newUuid, notFound, type Paging, scopeAllows, ServiceError, type Slice } from '@twinyard/conventions';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { OrganizationsService } from '../organizations/organizations.service';
import { PermissionsRepository } from '../permissions/permissions.repository';
import type { ClientEntity } from './client.entity';
import { ClientJournal } from './client-journal';
import { ClientSecrets } from './client-secrets';
import { ClientsRepository } from './clients.repository';

export type ClientDraft = Pick<ClientEntity, 'name' | 'orgId' | 'scopes' | 'trusted'>;

export interface ClientWithSecret {
  readonly client: ClientEntity;
  readonly secret: string;
}

/** Clients of the platform: programs that sign in as themselves. Platform managers make and remove them. */
@Injectable()
export class ClientsService {
  constructor(
    private readonly clients: ClientsRepository,
    private readonly secrets: ClientSecrets,
    private readonly organizations: OrganizationsService,
    private readonly permissions: PermissionsRepository,
    private readonly feed: GrantFeed,
    private readonly journal: ClientJournal,
  ) {}

  async create(ctx: RequestContext, draft: ClientDraft, keep?: KeepAnswer<ClientWithSecret>): Promise<ClientWithSecret> {
    requireManager(ctx, 'CREATE');
    if (draft.orgId !== null) await this.requireOrganization(ctx, draft.orgId);
    const secret = this.secrets.generate();
    const client = { ...draft, scopes: [...deriveScopes(ctx.principal, 'client', draft.scopes)], id: newUuid(), secretHash: this.secrets.hash(secret), ...authoredBy(ctx.callerId) };
    return this.feed.commit(async (tx) => {
      await this.clients.insert(tx, client);
      await this.journal.tell(tx, ctx, 'CREATE', client);
      return { result: { client, secret }, keys: [] };
    }, keep);
  }

  async list(ctx: RequestContext, paging: Paging): Promise<Slice<ClientEntity>> {
    requireManager(ctx, 'READ');
    return this.clients.list(paging);
  }

  async get(ctx: RequestContext, id: string): Promise<ClientEntity> {
    requireManager(ctx, 'READ');
    const client = await this.clients.findById(id);
    if (client === undefined) throw notFound('client', id);
    return client;
  }

  /** The old secret, and every token that was got with it, stop working at once. */
  async rotate(ctx: RequestContext, id: string, keep?: KeepAnswer<ClientWithSecret>): Promise<ClientWithSecret> {
    requireManager(ctx, 'EDIT');
    const client = await this.get(ctx, id);
    // Whoever is told the secret has all that the client has.
    deriveScopes(ctx.principal, 'client', client.scopes);
    const secret = this.secrets.generate();
    const changes = { secretHash: this.secrets.hash(secret), updatedAt: new Date(), updatedById: ctx.callerId };
    return this.feed.commit(async (tx) => {
      if (!(await this.clients.update(tx, id, changes))) throw notFound('client', id);
      await this.journal.tell(tx, ctx, 'ROTATE_SECRET', client);
      return { result: { client: { ...client, ...changes }, secret }, keys: [`client:${id}`] };
    }, keep);
  }

  /** With what it was granted: an id that comes again, as that of the settings' client may, begins with nothing. */
  async delete(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    requireManager(ctx, 'DELETE');
    const client = await this.get(ctx, id);
    await this.feed.commit(async (tx) => {
      await this.clients.delete(tx, id);
      await this.permissions.removeAllFor(tx, { type: 'client', id });
      await this.journal.tell(tx, ctx, 'DELETE', client);
      return { result: undefined, keys: [`client:${id}`] };
    }, keep);
  }

  private async requireOrganization(ctx: RequestContext, id: string): Promise<void> {
    try {
      await this.organizations.get(ctx, id);
    } catch (error) {
      throw error instanceof ServiceError && error.code === 'not_found' ? invalidField('_orgId', 'is no organization') : error;
    }
  }
}

function requireManager({ access, principal }: RequestContext, action: Action): void {
  if (!access.isPlatformManager || !scopeAllows(principal.scopes, action)) throw forbidden('Only platform managers deal with clients');
}
