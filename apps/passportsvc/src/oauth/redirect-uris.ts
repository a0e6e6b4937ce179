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

/** The port of a loopback address; `localhost` may be anybody's (section 8.3). */
const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/;

/**
 * Whether it is one of those that are registered, as it stands. A loopback address that is registered without a port may come with any: "The authorization
 * server MUST allow any port to be specified at the time of the request for loopback IP redirect URIs" (RFC 8252 section 7.3).
 */
export const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  registered.includes(uri) || (isAbsolute(uri) && registered.includes(uri.replace(LOOPBACK_PORT, '$1')));

const isAbsolute = (uri: string) => URL.canParse(uri) && !uri.includes('#');
