import { Injectable } from '@nestjs/common';
import { ENDED_TOKEN, TokenVerifier } from '@twinyard/auth';
import { type Principal, unauthenticated } from '@twinyard/conventions';
import { decodeJwt } from 'jose';
import { AccessKeys } from '../accesskeys/access-keys.service';
import { Liveness } from '../sessions/liveness';
import { type BasicCredentials, readBasic } from './basic-credentials';

export interface Bearer {
  readonly principal: Principal;
  /** Shown by an access key, which belongs to no application, instead of by a token of one. */
  readonly byAccessKey: boolean;
  /** Of a shown access key: the application that its tokens count as those of. */
  readonly keyAppId?: string | null;
  /** When what comes of it ends at the latest, in epoch seconds: where all began with an access key, its end. */
  readonly endsAt?: number;
  /** When whoever it is last showed more than a token: epoch seconds. */
  readonly authorizedAt: number;
}

interface OwnClaims {
  readonly authorized_at?: number;
}

const NOTHING = 'is missing: send an access key as HTTP Basic, its `_id` as user and its `_secret` as password, or `Bearer <token>`';
/** Which of it is so stays untold to whoever guesses. */
const NO_KEY = 'is no access key of this platform, or one that was deleted or has expired, or whose owner is disabled: make a new one on your account page, /passportsvc/api/accounts';

/** Who asks for a token by another one, or by an access key as HTTP Basic (contract 1.2). */
@Injectable()
export class TokenBearer {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly keys: AccessKeys,
    private readonly liveness: Liveness,
  ) {}

  /** @throws ServiceError `unauthenticated` */
  async authenticate(header: string | undefined): Promise<Bearer> {
    if (header === undefined) throw unauthenticated(NOTHING);
    const showsKey = /^Basic\b/i.test(header);
    const bearer = showsKey ? await this.byKey(readBasic(header)) : await this.byToken(header.replace(/^Bearer\s+/i, '').trim());
    if (bearer === undefined || !(await this.liveness.isAlive(bearer.principal))) throw unauthenticated(showsKey ? NO_KEY : ENDED_TOKEN);
    return bearer;
  }

  private async byToken(token: string): Promise<Bearer | undefined> {
    const principal = await this.tokens.verify(token);
    const { authorized_at: authorizedAt, iat = 0 } = decodeJwt<OwnClaims>(token);
    const bearer = { principal, byAccessKey: false, authorizedAt: authorizedAt ?? iat };
    if (principal.accessKeyId === undefined) return bearer;
    const key = await this.keys.endOf(principal.accessKeyId);
    return key && { ...bearer, ...endOf(key.expiresAt) };
  }

  private async byKey(shown: BasicCredentials | undefined): Promise<Bearer | undefined> {
    const key = shown && (await this.keys.authenticate(shown.id, shown.secret));
    return key && { principal: key.principal, byAccessKey: true, keyAppId: key.appId, authorizedAt: Math.floor(Date.now() / 1_000), ...endOf(key.expiresAt) };
  }
}

const endOf = (expiresAt: Date | null) => (expiresAt === null ? {} : { endsAt: Math.floor(expiresAt.getTime() / 1_000) });
