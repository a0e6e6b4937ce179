import { Injectable } from '@nestjs/common';
import { KnownCallers } from '@twinyard/service-kit';
import { TokenVerifier } from './token-verifier';

/** Those whose token was verified here before; the first request of a token counts for its address. */
@Injectable()
export class VerifiedCallers extends KnownCallers {
  constructor(private readonly tokens: TokenVerifier) {
    super();
  }

  override of(authorization: string): string | undefined {
    const principal = this.tokens.known(authorization.replace(/^Bearer\s+/i, '').trim());
    return principal && `${principal.type}:${principal.id}`;
  }
}
