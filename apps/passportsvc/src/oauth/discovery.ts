import { CLIENT_SCOPES, USER_SCOPES } from './oidc-clients';
import { RESPONSE_MODES } from './response-modes';

/** By these a client says who it is at the endpoints that want it. */
export const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post', 'none'] as const;
const WITH_A_SECRET = CLIENT_AUTHENTICATION.filter((method) => method !== 'none');

/**
 * What the library does not know of, in the discovery document (RFC 8414). It names the endpoints of v2, so it says what those
 * take: `response_type=token` is for the one of v1.
 */
export const OWN_DISCOVERY = {
  scopes_supported: [...USER_SCOPES, ...CLIENT_SCOPES],
  response_types_supported: ['code'],
  response_modes_supported: RESPONSE_MODES,
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
  introspection_endpoint_auth_methods_supported: WITH_A_SECRET,
  request_parameter_supported: false,
} as const;
