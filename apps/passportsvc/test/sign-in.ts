import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Browser, type BrowserResponse, challengeOf, newVerifier } from './browser';
import { ADMIN, REDIRECT_URI } from './passport-app';

export const AUTHORIZE = '/passportsvc/api/v2/oauth/authorize';
export const TOKEN = '/passportsvc/api/v2/oauth/token';

export type Parameters = Record<string, string | undefined>;

/** An authorization request of the console, with what a test changes about it; `undefined` leaves a parameter out. */
export function authorizeUrl(verifier: string, changes: Parameters = {}, path = AUTHORIZE): string {
  const parameters: Parameters = {
    response_type: 'code', client_id: 'console', redirect_uri: REDIRECT_URI, scope: 'read write', state: 'st',
    code_challenge: challengeOf(verifier), code_challenge_method: 'S256', ...changes,
  };
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${path}?${new URLSearchParams(given)}`;
}

/** From the authorization request through the sign-in page to the redirect with the code. */
export async function signInAt(browser: Browser, url: string, { email, password } = ADMIN): Promise<BrowserResponse> {
  const toPage = await browser.get(url);
  if (toPage.location === undefined || !toPage.location.pathname.includes('/sign-in/')) return toPage;
  const page = await browser.get(toPage.location);
  const signedIn = await browser.fill(page, { email, password });
  return signedIn.location === undefined ? signedIn : browser.get(signedIn.location);
}

export async function exchange(baseUrl: string, form: Parameters, path = TOKEN, headers: Record<string, string> = {}): Promise<Response> {
  const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return fetch(baseUrl + path, { method: 'POST', headers, body: new URLSearchParams(given) });
}

/** As if all refresh tokens that were used so far had been used so much earlier. */
export const ageRefreshTokens = (app: INestApplicationContext, seconds: number): Promise<unknown> =>
  app.get(DataSource).query(`UPDATE oidc_state SET consumed_at = consumed_at - $1 * interval '1 second' WHERE model = 'RefreshToken'`, [seconds]);

export interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly jti: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly error?: string;
}

/** Signs in to the console and answers its tokens. */
export async function tokensOf(baseUrl: string, credentials = ADMIN, browser = new Browser(baseUrl)): Promise<Tokens> {
  const verifier = newVerifier();
  const answer = await signInAt(browser, authorizeUrl(verifier), credentials);
  const code = answer.location?.searchParams.get('code') ?? undefined;
  const response = await exchange(baseUrl, { grant_type: 'authorization_code', code, client_id: 'console', redirect_uri: REDIRECT_URI, code_verifier: verifier });
  return (await response.json()) as Tokens;
}
