import { Injectable } from '@nestjs/common';
import { TokenVerifier } from '@twinyard/auth';
import type { Principal } from '@twinyard/conventions';
import { decodeJwt, type JWTPayload } from 'jose';
import type { AdapterPayload } from 'oidc-provider';
import { Liveness } from '../sessions/liveness';
import { Sessions } from '../sessions/sessions.service';
import type { AuthenticatedClient } from './client-authentication';
import { OidcClients } from './oidc-clients';
import { OidcStateRepository } from './oidc-state.repository';

const REFRESH_TOKEN = 'RefreshToken';

/** RFC 7662. A token that is not for the client to know of is not active. */
export type Introspection = { readonly active: false } | ({ readonly active: true; readonly token_type: string } & Readonly<Record<string, unknown>>);

/** Revocation and introspection of access and refresh tokens. */
@Injectable()
export class IssuedTokens {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly liveness: Liveness,
    private readonly state: OidcStateRepository,
    private readonly sessions: Sessions,
    private readonly clients: OidcClients,
  ) {}

  async introspect(client: AuthenticatedClient, token: string): Promise<Introspection> {
    const claims = await this.accessToken(token);
    if (claims === undefined) return this.introspectRefreshToken(client, token);
    if (!(await this.concerns(client, String(claims['client_id'])))) return { active: false };
    const alive = await this.liveness.isAlive(await this.verifier.verify(token));
    if (!alive) return { active: false };
    const { sub, iss, aud, exp, iat, jti } = claims;
    return { active: true, token_type: 'Bearer', sub, iss, aud, exp, iat, jti, client_id: claims['client_id'], scope: claims['scope'] };
  }

  /** Revokes the whole authorization (RFC 7009 section 2.1); what is unknown, or another client's, is left alone. */
  async revoke(client: AuthenticatedClient, token: string): Promise<void> {
    const claims = await this.accessToken(token);
    if (claims === undefined) return this.revokeRefreshToken(client, token);
    const { client_id: owner, sid, gid, access_key: accessKey } = claims;
    if (owner !== client.id) return;
    // A token by an access key ends by itself: its authorization is the key, which its owner deletes.
    if (accessKey !== undefined && typeof sid === 'string') await this.sessions.end(sid);
    else if (typeof gid === 'string') await this.sessions.revokeAuthorization(gid);
  }

  private async revokeRefreshToken(client: AuthenticatedClient, token: string): Promise<void> {
    const found = await this.state.find(REFRESH_TOKEN, token);
    if (found?.clientId === client.id && found.grantId !== undefined) await this.sessions.revokeAuthorization(found.grantId);
  }

  private async introspectRefreshToken(client: AuthenticatedClient, token: string): Promise<Introspection> {
    const found = await this.state.find(REFRESH_TOKEN, token);
    const { clientId, accountId, scope, exp, iat, consumed } = found ?? {};
    if (found === undefined || clientId !== client.id || consumed !== undefined || (exp ?? 0) * 1_000 <= Date.now()) return { active: false };
    if (!(await this.liveness.isAlive(ownerOf(found)))) return { active: false };
    return { active: true, token_type: 'refresh_token', sub: accountId, exp, iat, client_id: clientId, scope };
  }

  /** Its own tokens; for a client of an organization those of the organization's applications; for one of the platform all. */
  private async concerns(client: AuthenticatedClient, issuedTo: string): Promise<boolean> {
    if (issuedTo === client.id) return true;
    if (!client.isPlatformClient) return false;
    return client.organizationId === undefined || (await this.clients.find(issuedTo))?.['organization_id'] === client.organizationId;
  }

  private async accessToken(token: string): Promise<JWTPayload | undefined> {
    return this.verifier.verify(token).then(
      () => decodeJwt(token),
      () => undefined,
    );
  }
}

const ownerOf = ({ accountId, sessionUid, grantId }: AdapterPayload): Principal => ({
  type: 'user', id: accountId ?? '', tokenId: '', scopes: [],
  ...(typeof sessionUid === 'string' && { sessionId: sessionUid }),
  ...(grantId !== undefined && { oauthGrantId: grantId }),
});
