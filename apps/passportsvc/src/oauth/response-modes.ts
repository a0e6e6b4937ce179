import type { KoaContextWithOIDC } from 'oidc-provider';

export const RESPONSE_MODES = ['both', 'fragment', 'query'] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

export const isResponseMode = (value: unknown): value is ResponseMode => RESPONSE_MODES.some((mode) => mode === value);

/**
 * The answer in the fragment, as the specification says, and in the query, where existing clients read it (contract 1.1):
 * the response mode `both`, which is ours. A token is in no query: those are logged, and sent on as a referrer.
 */
export const answerInBoth = (ctx: KoaContextWithOIDC, redirectUri: string, answer: object): void =>
  sendTo(ctx, 'access_token' in answer ? inFragment(redirectUri, answer) : inBoth(redirectUri, answer));

export const answerInQuery = (ctx: KoaContextWithOIDC, redirectUri: string, answer: object): void => sendTo(ctx, inQuery(redirectUri, answer));
export const answerInFragment = (ctx: KoaContextWithOIDC, redirectUri: string, answer: object): void => sendTo(ctx, inFragment(redirectUri, answer));

export const inBoth = (redirectUri: string, answer: object): string => inFragment(inQuery(redirectUri, answer), answer);

/**
 * "The endpoint URI MAY include an "application/x-www-form-urlencoded" formatted query component, which MUST be retained when adding additional query parameters"
 * (RFC 6749 section 3.1.2): what is there stays as it was registered, byte for byte. It has no fragment.
 */
export function inQuery(redirectUri: string, answer: object): string {
  const added = encoded(answer);
  if (added === '') return redirectUri;
  if (!redirectUri.includes('?')) return `${redirectUri}?${added}`;
  return `${redirectUri}${/[?&]$/.test(redirectUri) ? '' : '&'}${added}`;
}

export const inFragment = (redirectUri: string, answer: object): string => `${redirectUri}#${encoded(answer)}`;

const encoded = (answer: object) => new URLSearchParams(Object.entries(answer).map(([name, value]): [string, string] => [name, String(value)])).toString();

/** What a header may hold as it is. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Koa writes an address anew, which costs a quote or a letter of the path its form. */
export function sendTo(ctx: KoaContextWithOIDC, uri: string): void {
  ctx.status = 303;
  ctx.redirect(uri);
  if (VISIBLE_ASCII.test(uri)) ctx.set('Location', uri);
}
