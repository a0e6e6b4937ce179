import type { KoaContextWithOIDC } from 'oidc-provider';

export const RESPONSE_MODES = ['both', 'fragment', 'query'] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

export const isResponseMode = (value: unknown): value is ResponseMode => RESPONSE_MODES.some((mode) => mode === value);

/**
 * The answer in the fragment, as the specification says, and in the query, where existing clients read it (contract 1.1):
 * the response mode `both`, which is ours.
 */
export function answerInBoth(ctx: KoaContextWithOIDC, redirectUri: string, answer: object): void {
  ctx.status = 303;
  ctx.redirect(inBoth(redirectUri, answer));
}

export function inBoth(redirectUri: string, answer: object): string {
  const parameters = Object.entries(answer).map(([name, value]): [string, string] => [name, String(value)]);
  const url = new URL(redirectUri);
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  url.hash = new URLSearchParams(parameters).toString();
  return url.href;
}
