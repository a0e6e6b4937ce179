import { Injectable } from '@nestjs/common';
import { OwnLease } from '../permissions/own-lease';
import type { ClientEntity } from './client.entity';
import { ClientsRepository } from './clients.repository';

const MOST = 1_000;
const KEY = 'client:';

/** Clients that ask for tokens again and again, kept under the lease: one that is rotated or deleted is forgotten before that call returns. */
@Injectable()
export class KnownClients {
  private readonly known = new Map<string, ClientEntity>();
  /** Counts what was forgotten: an answer to a question from before is not kept. */
  private changes = 0;

  constructor(
    private readonly clients: ClientsRepository,
    private readonly lease: OwnLease,
  ) {
    lease.onChange((keys) => this.forget(keys));
  }

  async find(id: string): Promise<ClientEntity | undefined> {
    const known = this.lease.useLease() ? this.known.get(id) : undefined;
    if (known !== undefined) return known;
    const { changes } = this;
    const client = await this.clients.findById(id);
    if (client !== undefined && changes === this.changes) this.keep(client);
    return client;
  }

  private keep(client: ClientEntity): void {
    if (this.known.size >= MOST) this.known.clear();
    this.known.set(client.id, client);
  }

  private forget(keys: readonly string[] | undefined): void {
    const gone = keys?.filter((key) => key.startsWith(KEY));
    if (gone?.length === 0) return;
    this.changes += 1;
    if (gone === undefined) this.known.clear();
    else for (const key of gone) this.known.delete(key.slice(KEY.length));
  }
}
