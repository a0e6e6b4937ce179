import { Injectable } from '@nestjs/common';
import { TokenVerifier } from '@twinyard/auth';
import { type Principal, unauthenticated } from '@twinyard/conventions';
import { AccessKeys } from '../accesskeys/access-keys.service';
import { Liveness } from '../sessions/liveness';

export interface Bearer {
  readonly principal: Principal;
  /** Shown by an access key, which belongs to no application, instead of by a token of one. */
  readonly byAccessKey: boolean;
}

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
    const key = keyOf(header);
    const principal = key === undefined ? await this.tokens.verify((header ?? '').replace(/^Bearer\s+/i, '').trim()) : await this.keys.authenticate(key.id, key.secret);
    if (principal === undefined || !(await this.liveness.isAlive(principal))) throw unauthenticated();
    return { principal, byAccessKey: key !== undefined };
  }
}

function keyOf(header: string | undefined): { readonly id: string; readonly secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return { id, secret };
}
