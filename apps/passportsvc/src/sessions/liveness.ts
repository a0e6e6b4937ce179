import { Injectable } from '@nestjs/common';
import type { Principal } from '@twinyard/conventions';
import { AppsRepository } from '../apps/apps.repository';
import { ClientsRepository } from '../clients/clients.repository';
import { UsersRepository } from '../users/users.repository';
import { RevocationsRepository } from './revocations.repository';

/** Whether a token that is still valid by its signature belongs to somebody who may still come in. */
@Injectable()
export class Liveness {
  constructor(
    private readonly users: UsersRepository,
    private readonly clients: ClientsRepository,
    private readonly apps: AppsRepository,
    private readonly revocations: RevocationsRepository,
  ) {}

  /** The user is enabled (the client exists), its session has not ended, its authorization was not revoked. */
  async isAlive(principal: Principal): Promise<boolean> {
    const { sessionId, oauthGrantId } = principal;
    const isRevoked = await this.revocations.has({
      ...(sessionId !== undefined && { sessionId }),
      ...(oauthGrantId !== undefined && { authorizationId: oauthGrantId }),
    });
    if (isRevoked) return false;
    return principal.type === 'client' ? this.clientExists(principal.id) : this.userIsEnabled(principal.id);
  }

  private async clientExists(id: string): Promise<boolean> {
    return (await this.clients.findById(id)) !== undefined || (await this.apps.findClient(id)) !== undefined;
  }

  private async userIsEnabled(id: string): Promise<boolean> {
    return (await this.users.findById(id))?.disabled === false;
  }
}
