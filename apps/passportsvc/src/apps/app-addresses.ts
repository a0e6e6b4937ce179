/** Schemes that a browser runs or reads itself instead of handing over to an application. */
const UNSAFE_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'view-source:']);

/** "Comma-separated string; an array is accepted" (contract 1.4). */
export function toEntries(value: string | readonly string[]): string[] {
  const entries = typeof value === 'string' ? value.split(',') : value;
  return [...new Set(entries.map((entry) => entry.trim()).filter((entry) => entry !== ''))];
}

/** Entries as `toEntries` reads them again: a comma inside one, which would end it, is `%2C`. */
export const toText = (entries: readonly string[]): string => entries.map(shown).join(',');

const shown = (uri: string) => uri.replaceAll(',', '%2C');

/** What was shown and comes back is what it was: URIs that are kept with commas stay as they are registered. */
export const keepCommas = (sent: readonly string[], kept: readonly string[]): string[] => [...new Set(sent.flatMap((entry) => {
  const known = kept.filter((uri) => shown(uri) === entry);
  return known.length === 0 ? [entry] : known;
}))];

/** Absolute, without a fragment (RFC 6749, 3.1.2) and without a wildcard (RFC 9700, 2.1). */
export function isRedirectUri(uri: string): boolean {
  if (uri.includes('*') || uri.includes('#') || /\s/.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, host } = new URL(uri);
  if (UNSAFE_SCHEMES.has(protocol)) return false;
  return isWeb(protocol) ? host !== '' : protocol.includes('.');
}

/** Scheme, host and port of a web address and nothing else; one trailing slash aside. */
export function isOrigin(text: string): boolean {
  if (/[*,]/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return isWeb(url.protocol) && toOrigin(text) === text.replace(/\/$/, '').toLowerCase();
}

export const toOrigin = (text: string): string => new URL(text).origin;

const isWeb = (protocol: string) => protocol === 'https:' || protocol === 'http:';
