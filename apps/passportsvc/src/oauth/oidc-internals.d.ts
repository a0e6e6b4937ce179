/** The parts of oidc-provider that its own grants are made of; it ships no types for them. */
declare module 'oidc-provider/lib/helpers/grants.js' {
  import type { AuthorizationCode, Grant, KoaContextWithOIDC, Provider } from 'oidc-provider';

  export function findGrantSource(provider: Provider, ctx: KoaContextWithOIDC, model: unknown, value: string, label: string): Promise<AuthorizationCode>;
  export function consumeGrantSource(provider: Provider, ctx: KoaContextWithOIDC, source: AuthorizationCode, label: string): Promise<void>;
  export function validateGrant(provider: Provider, ctx: KoaContextWithOIDC, grantId: string): Promise<Grant>;
}

declare module 'oidc-provider/lib/helpers/grant_common.js' {
  import type { AuthorizationCode, Grant, KoaContextWithOIDC, Provider } from 'oidc-provider';

  export function issueTokens(
    provider: Provider, helpers: object, ctx: KoaContextWithOIDC, source: AuthorizationCode,
    ...rest: [grant: Grant, options: { readonly gty: string; readonly entityLabel: string }]
  ): Promise<void>;
}

declare module 'oidc-provider/lib/helpers/weak_cache.js' {
  import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

  type Answer = (ctx: KoaContextWithOIDC, redirectUri: string, answer: object) => void;

  export function get(provider: Provider): { readonly configuration: { readonly responseTypes: string[] }; readonly responseModes: Map<string, Answer> };
}
