import type { Provider } from 'oidc-provider';
import type { ClientSecrets } from '../clients/client-secrets';
import type { OidcLibrary } from './oidc-library';
import { isRegistered } from './redirect-uris';

interface ClientRules {
  readonly clientSecret?: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly responseTypes: readonly string[];
  readonly takes_implicit?: boolean;
  compareClientSecret(this: ClientRules, actual: string): boolean;
  redirectUriAllowed(this: ClientRules, uri: string): boolean;
  postLogoutRedirectUriAllowed(this: ClientRules, uri: string): boolean;
  responseTypeAllowed(this: ClientRules, type: string): boolean;
}

/**
 * Secrets are stored as hashes, and redirect URIs are compared exactly but for the port of a loopback address. A token straight from
 * the authorization endpoint is for those applications alone that say so (contract 1.1).
 */
export function useOwnClientRules(provider: Provider, secrets: ClientSecrets, { errors, internalsOf }: OidcLibrary): void {
  // The library answers it, but does not let its configuration name it.
  internalsOf(provider).configuration.responseTypes.push('token');
  const { prototype } = provider.Client as unknown as { prototype: ClientRules };
  prototype.compareClientSecret = function compareClientSecret(actual) {
    return secrets.matches(actual, this.clientSecret ?? '');
  };
  prototype.redirectUriAllowed = function redirectUriAllowed(uri) {
    return isRegistered(uri, this.redirectUris);
  };
  prototype.postLogoutRedirectUriAllowed = function postLogoutRedirectUriAllowed(uri) {
    return this.postLogoutRedirectUris.includes(uri);
  };
  prototype.responseTypeAllowed = function responseTypeAllowed(type) {
    if (type !== 'token') return this.responseTypes.includes(type);
    if (this.takes_implicit !== true) throw new errors.UnauthorizedClient('the application does not take tokens from this endpoint');
    return true;
  };
}
