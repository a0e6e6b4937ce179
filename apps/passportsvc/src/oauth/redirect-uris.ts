/** "Redirect URIs are compared exactly, one trailing slash aside" (contract 1.1). */
export function withAndWithoutSlash(uris: readonly string[]): string[] {
  return [...new Set(uris.flatMap((uri) => [uri, uri.endsWith('/') ? uri.slice(0, -1) : `${uri}/`]))].filter(isAbsolute);
}

/** Whether the redirect URI of a token request is the one of its authorization request. */
export const isSameRedirectUri = (one: string, other: string): boolean => withoutSlash(one) === withoutSlash(other);

const withoutSlash = (uri: string) => (uri.endsWith('/') ? uri.slice(0, -1) : uri);

const isAbsolute = (uri: string) => URL.canParse(uri) && !uri.includes('#');
