import { Injectable } from '@nestjs/common';
import type { Principal } from '@twinyard/conventions';
import { AppsRepository } from '../apps/apps.repository';
import { secretGeneration } from '../clients/client-secrets';
import { ClientsRepository } from '../clients/clients.repository';
import type { UserEntity } from '../users/user.entity';
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

  async isAlive(principal: Principal): Promise<boolean> {
    return (await this.look(principal)).alive;
  }

  /** The user is enabled (the client exists and has the secret that the token was got with), its session has not ended, its authorization was not revoked. */
  async look(principal: Principal): Promise<{ readonly alive: boolean; readonly user: UserEntity | undefined }> {
    const { sessionId, oauthGrantId, type, id } = principal;
    const [isRevoked, user, isClient] = await Promise.all([
      this.revocations.has({
        ...(sessionId !== undefined && { sessionId }),
        ...(oauthGrantId !== undefined && { authorizationId: oauthGrantId }),
      }),
      type === 'user' ? this.users.findById(id) : undefined,
      type === 'client' && this.clientIsAlive(principal),
    ]);
    return { alive: !isRevoked && (isClient || user?.disabled === false), user };
  }

  /** The token of a run was got with no secret, and outlives its change. */
  private async clientIsAlive({ id, sessionId }: Principal): Promise<boolean> {
    const hash = (await this.clients.findById(id))?.secretHash ?? (await this.apps.findClient(id))?.clientSecretHash ?? undefined;
    return hash !== undefined && (sessionId === undefined || sessionId === secretGeneration(hash));
  }
}
