import type { Provider } from 'oidc-provider';
import type { ClientSecrets } from '../clients/client-secrets';
import type { OidcLibrary } from './oidc-library';

/** How long a refresh token may be shown again after it was used: two tabs, or an answer that was lost (contract 1.1). */
export const REFRESH_GRACE_SECONDS = 10;

interface RefreshToken {
  generateTokenId(this: RefreshToken): string;
}

/**
 * Whoever shows one token again gets the same successor. It is kept nowhere but as a hash, so it is made from the token that it follows, under a key:
 * who knows that one alone cannot tell it.
 */
export function nameSuccessors(provider: Provider, secrets: ClientSecrets, library: OidcLibrary): void {
  const { prototype } = provider.RefreshToken as unknown as { prototype: RefreshToken };
  const { generateTokenId } = prototype;
  prototype.generateTokenId = function generateSuccessor() {
    const before = library.Provider.ctx?.oidc.entities.RotatedRefreshToken;
    return before === undefined ? generateTokenId.call(this) : secrets.hash(`refresh token after ${before.jti}`);
  };
}
