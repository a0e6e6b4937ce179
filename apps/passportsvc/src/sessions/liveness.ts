import { Injectable } from '@nestjs/common';
import type { Principal } from '@twinyard/conventions';
import { AppsRepository } from '../apps/apps.repository';
import { secretGeneration } from '../clients/client-secrets';
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

  /** The user is enabled (the client exists and has the secret that the token was got with), its session has not ended, its authorization was not revoked. */
  async isAlive(principal: Principal): Promise<boolean> {
    const { sessionId, oauthGrantId } = principal;
    const isRevoked = await this.revocations.has({
      ...(sessionId !== undefined && { sessionId }),
      ...(oauthGrantId !== undefined && { authorizationId: oauthGrantId }),
    });
    if (isRevoked) return false;
    return principal.type === 'client' ? this.clientIsAlive(principal) : this.userIsEnabled(principal.id);
  }

  /** The token of a run was got with no secret, and outlives its change. */
  private async clientIsAlive({ id, sessionId }: Principal): Promise<boolean> {
    const hash = (await this.clients.findById(id))?.secretHash ?? (await this.apps.findClient(id))?.clientSecretHash ?? undefined;
    return hash !== undefined && (sessionId === undefined || sessionId === secretGeneration(hash));
  }

  private async userIsEnabled(id: string): Promise<boolean> {
    return (await this.users.findById(id))?.disabled === false;
  }
}
