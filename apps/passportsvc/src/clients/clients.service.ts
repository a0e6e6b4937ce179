import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { type Action, authoredBy, forbidden, newUuid, notFound, type Paging, scopeAllows, type Slice } from '@twinyard/conventions';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import type { ClientEntity } from './client.entity';
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
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly feed: GrantFeed,
  ) {}

  async create(ctx: RequestContext, draft: ClientDraft): Promise<ClientWithSecret> {
    requireManager(ctx, 'CREATE');
    const secret = this.secrets.generate();
    const client = { ...draft, id: newUuid(), secretHash: this.secrets.hash(secret), ...authoredBy(ctx.callerId) };
    await this.unitOfWork.run((tx) => this.clients.insert(tx, client));
    return { client, secret };
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

  /** The old secret stops working at once; tokens that were issued live on until they expire. */
  async rotate(ctx: RequestContext, id: string): Promise<ClientWithSecret> {
    requireManager(ctx, 'EDIT');
    const client = await this.get(ctx, id);
    const secret = this.secrets.generate();
    const changes = { secretHash: this.secrets.hash(secret), updatedAt: new Date(), updatedById: ctx.callerId };
    await this.unitOfWork.run((tx) => this.clients.update(tx, id, changes));
    return { client: { ...client, ...changes }, secret };
  }

  async delete(ctx: RequestContext, id: string): Promise<void> {
    requireManager(ctx, 'DELETE');
    await this.get(ctx, id);
    await this.feed.commit(async (tx) => {
      await this.clients.delete(tx, id);
      return { result: undefined, keys: [`client:${id}`] };
    });
  }
}

function requireManager({ access, principal }: RequestContext, action: Action): void {
  if (!access.isPlatformManager || !scopeAllows(principal.scopes, action)) throw forbidden('Only platform managers deal with clients');
}
