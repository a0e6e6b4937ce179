const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const MAX_LENGTH = 1_000;

/** What keeps a text from being an issuer (OpenID Connect Core 1.2); `undefined` when nothing does. */
export function issueOfIssuer(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) && text.length <= MAX_LENGTH ? new URL(text) : undefined;
  if (url === undefined || !isSecure(url, allowPrivate)) return 'must be an https address';
  if (/[?#]/.test(text)) return 'must have no query and no fragment';
  return url.username + url.password === '' ? undefined : 'must have no user in it';
}

/** https; and http on this machine, where private addresses are allowed at all. */
export const isSecure = ({ protocol, hostname }: URL, allowPrivate: boolean): boolean =>
  protocol === 'https:' || (protocol === 'http:' && allowPrivate && LOOPBACK.test(hostname));
