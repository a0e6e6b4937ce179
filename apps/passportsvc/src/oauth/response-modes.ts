import type { KoaContextWithOIDC } from 'oidc-provider';

export const RESPONSE_MODES = ['both', 'fragment', 'query'] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

export const isResponseMode = (value: unknown): value is ResponseMode => RESPONSE_MODES.some((mode) => mode === value);

/**
 * The answer in the fragment, as the specification says, and in the query, where existing clients read it (contract 1.1):
 * the response mode `both`, which is ours. A token is in no query: those are logged, and sent on as a referrer.
 */
export function answerInBoth(ctx: KoaContextWithOIDC, redirectUri: string, answer: object): void {
  ctx.status = 303;
  ctx.redirect('access_token' in answer ? inFragment(redirectUri, answer) : inBoth(redirectUri, answer));
}

export function inBoth(redirectUri: string, answer: object): string {
  const url = new URL(redirectUri);
  for (const [name, value] of parametersOf(answer)) url.searchParams.set(name, value);
  return inFragment(url.href, answer);
}

export function inFragment(redirectUri: string, answer: object): string {
  const url = new URL(redirectUri);
  url.hash = new URLSearchParams(parametersOf(answer)).toString();
  return url.href;
}

const parametersOf = (answer: object) => Object.entries(answer).map(([name, value]): [string, string] => [name, String(value)]);
