import { Injectable } from '@nestjs/common';
import { TokenVerifier } from '@twinyard/auth';
import { forbidden, type Principal, unauthenticated } from '@twinyard/conventions';
import { decodeJwt } from 'jose';
import { AccessKeys } from '../accesskeys/access-keys.service';
import { Liveness } from '../sessions/liveness';
import { type BasicCredentials, readBasic } from './basic-credentials';

export interface Bearer {
  readonly principal: Principal;
  /** Shown by an access key, which belongs to no application, instead of by a token of one. */
  readonly byAccessKey: boolean;
  /** The access key that all began with, if any. */
  readonly accessKeyId?: string;
  /** When whoever it is last showed more than a token: epoch seconds. */
  readonly authorizedAt: number;
}

interface OwnClaims {
  readonly run_id?: string;
  readonly access_key?: string;
  readonly authorized_at?: number;
}

/** Who asks for a token by another one, or by an access key as HTTP Basic (contract 1.2). */
@Injectable()
export class TokenBearer {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly keys: AccessKeys,
    private readonly liveness: Liveness,
  ) {}

  /** @throws ServiceError `unauthenticated`; `forbidden` for what must not outlive its end by an exchange. */
  async authenticate(header: string | undefined): Promise<Bearer> {
    const key = readBasic(header);
    const bearer = key === undefined ? await this.byToken((header ?? '').replace(/^Bearer\s+/i, '').trim()) : await this.byKey(key);
    if (bearer === undefined || !(await this.liveness.isAlive(bearer.principal))) throw unauthenticated();
    return bearer;
  }

  private async byToken(token: string): Promise<Bearer> {
    const principal = await this.tokens.verify(token);
    const { run_id: runId, access_key: accessKeyId, authorized_at: authorizedAt, iat = 0 } = decodeJwt<OwnClaims>(token);
    if (runId !== undefined) throw forbidden('The token of a run is not exchanged');
    return { principal, byAccessKey: false, authorizedAt: authorizedAt ?? iat, ...(accessKeyId !== undefined && { accessKeyId }) };
  }

  private async byKey({ id, secret }: BasicCredentials): Promise<Bearer | undefined> {
    const principal = await this.keys.authenticate(id, secret);
    return principal && { principal, byAccessKey: true, accessKeyId: id, authorizedAt: Math.floor(Date.now() / 1_000) };
  }
}
