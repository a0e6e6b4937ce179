import { Inject, Injectable } from '@nestjs/common';
import { derivedEnd, type IssuableScopes, issuerOf } from '@twinyard/auth';
import { newUuid } from '@twinyard/conventions';
import { importJWK, SignJWT } from 'jose';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { SigningKeys } from '../signing-keys/signing-keys.service';

export interface AccessTokenDraft {
  /** The user, or the client itself. */
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: IssuableScopes;
  /** How long it is good for at the most. */
  readonly seconds: number;
  /** Epoch seconds that it does not outlive: the end of what it is derived from. */
  readonly endsAt?: number;
  /** `sid`, `gid`, `principal_type`, `profile_id`, `access_key`, `run_id`, `run_namespaces`: what `TokenVerifier` reads beside these. */
  readonly claims: Readonly<Record<string, string | number | readonly string[]>>;
}

export interface SignedAccessToken {
  readonly token: string;
  readonly tokenId: string;
  /** How long it is good for. */
  readonly seconds: number;
  readonly expiresAt: Date;
}

/** Signs access tokens (RFC 9068) that come from no OAuth endpoint. */
@Injectable()
export class AccessTokenSigner {
  constructor(
    private readonly keys: SigningKeys,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  async sign({ subject, clientId, scopes, seconds, endsAt, claims }: AccessTokenDraft): Promise<SignedAccessToken> {
    const [jwk] = this.keys.keys.tokenKeys;
    if (jwk === undefined) throw new Error('There is no signing key');
    const tokenId = newUuid();
    const issuedAt = Math.floor(Date.now() / 1_000);
    const expiresAt = derivedEnd(issuedAt + seconds, endsAt);
    const token = await new SignJWT({ ...claims, client_id: clientId, scope: scopes.join(' ') })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid as string })
      .setIssuer(issuerOf(this.settings.BASE_URL))
      .setAudience(this.settings.BASE_URL)
      .setSubject(subject)
      .setJti(tokenId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(await importJWK(jwk, 'ES256'));
    return { token, tokenId, seconds: expiresAt - issuedAt, expiresAt: new Date(expiresAt * 1_000) };
  }
}
