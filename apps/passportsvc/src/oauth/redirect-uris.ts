/** "Redirect URIs are compared exactly, one trailing slash aside" (contract 1.1): that of the path. A slash that ends a query belongs to a value. */
export function withAndWithoutSlash(uris: readonly string[]): string[] {
  return [...new Set(uris.flatMap((uri) => [uri, otherForm(uri)]))].filter(isAbsolute);
}

/** Whether the redirect URI of a token request is the one of its authorization request. */
export const isSameRedirectUri = (one: string, other: string): boolean => one === other || otherForm(one) === other;

function otherForm(uri: string): string {
  if (uri.includes('?')) return uri;
  return uri.endsWith('/') ? uri.slice(0, -1) : `${uri}/`;
}

const isAbsolute = (uri: string) => URL.canParse(uri) && !uri.includes('#');
