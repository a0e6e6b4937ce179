import { Injectable } from '@nestjs/common';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { InvitesRepository } from '../invites/invites.repository';
import { RevocationsRepository } from '../sessions/revocations.repository';
import { Sessions } from '../sessions/sessions.service';
import { UsersRepository } from '../users/users.repository';
import { OidcClients } from './oidc-clients';
import { OidcStateRepository } from './oidc-state.repository';
import { REFRESH_GRACE_SECONDS } from './refresh-tokens';

/** What oidc-provider reads and writes. */
@Injectable()
export class OidcStores {
  constructor(
    readonly state: OidcStateRepository,
    readonly clients: OidcClients,
    readonly users: UsersRepository,
    readonly sessions: Sessions,
    readonly revocations: RevocationsRepository,
    readonly invites: InvitesRepository,
  ) {}
}

/** Without an end of their own, such as sessions of the browser. */
const FALLBACK_SECONDS = 86_400;

const ENDS_EARLY: ReadonlySet<string> = new Set(['Session', 'AuthorizationCode', 'RefreshToken']);

/** oidc-provider's storage for one of its models. */
export class OidcStore implements Adapter {
  /** How long one that was used is as if it were not. */
  private readonly graceSeconds: number;

  constructor(
    private readonly model: string,
    private readonly stores: OidcStores,
    /** What a code or refresh token that was used before is answered with. */
    private readonly alreadyUsed: () => Error,
  ) {
    this.graceSeconds = model === 'RefreshToken' ? REFRESH_GRACE_SECONDS : 0;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    await this.stores.state.upsert(this.model, id, payload, expiresIn ?? FALLBACK_SECONDS);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (this.model === 'Client') return this.stores.clients.find(id);
    const found = await this.stores.state.find(this.model, id, this.graceSeconds);
    return ENDS_EARLY.has(this.model) && (await this.isEnded(found)) ? undefined : found;
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const found = await this.stores.state.findByUid(this.model, uid);
    return (await this.isEnded(found)) ? undefined : found;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  /** Of two requests that arrive with one code at once, the second revokes what the first one got (RFC 6749 section 4.1.2); so does a refresh token after its grace. */
  async consume(id: string): Promise<void> {
    if (await this.stores.state.consume(this.model, id, this.graceSeconds)) return;
    const used = await this.stores.state.find(this.model, id);
    if (used?.grantId !== undefined) await this.stores.sessions.revokeAuthorization(used.grantId);
    throw this.alreadyUsed();
  }

  async destroy(id: string): Promise<void> {
    await this.stores.state.destroy(this.model, id);
  }

  /**
   * Access tokens are not stored: to revoke them is to tell every service that their authorization has ended. It is asked for
   * by the library whenever an authorization is revoked.
   */
  async revokeByGrantId(grantId: string): Promise<void> {
    if (this.model === 'AccessToken') await this.stores.sessions.revokeAuthorization(grantId);
    else await this.stores.state.destroyByGrant(this.model, grantId);
  }

  /** What ended while another request was about to save it stays ended: a session, and what a logout or a revocation had just removed. */
  private async isEnded(payload: AdapterPayload | undefined): Promise<boolean> {
    if (payload === undefined) return false;
    const sessionId = this.model === 'Session' ? payload.uid : (payload['sessionUid'] as string | undefined);
    return this.stores.revocations.has({
      ...(sessionId !== undefined && { sessionId }),
      ...(payload.grantId !== undefined && { authorizationId: payload.grantId }),
    });
  }
}
