import type { OidcProvider } from '../../oauth/oidc-provider.service';

/** What somebody is asked before an authorization request is answered. */
export type Interaction = Awaited<ReturnType<OidcProvider['provider']['interactionDetails']>>;
