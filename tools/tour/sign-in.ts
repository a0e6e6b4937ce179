import { createHash, randomBytes } from 'node:crypto';
import { patientFetch, repeatable } from './api';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface SignInRequest extends Credentials {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** Separated by spaces; `read write` by default. */
  readonly scope?: string;
  /** Sends each of its requests; by default one that repeats what was refused for a moment. */
  readonly send?: typeof patientFetch;
}

const AUTHORIZE = '/passportsvc/api/v2/oauth/authorize';
const TOKEN = '/passportsvc/api/v2/oauth/token';
const MAX_PAGES = 12;

/** Signs in as a browser would: authorization code with PKCE (RFC 7636) through the sign-in page, then the code for a token. */
export async function signIn(request: SignInRequest): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const code = await authorize(request, createHash('sha256').update(verifier).digest('base64url'));
  const { send = patientFetch } = request;
  const response = await send(new URL(TOKEN, request.baseUrl), {
    method: 'POST',
    headers: repeatable('POST'),
    body: new URLSearchParams({
      grant_type: 'authorization_code', code, client_id: request.clientId, redirect_uri: request.redirectUri, code_verifier: verifier,
    }),
  });
  if (!response.ok) throw new Error(`the code was not exchanged: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Follows redirects and fills in the pages until the redirect URI is reached. Resolves with the code. */
async function authorize(request: SignInRequest, challenge: string): Promise<string> {
  const browser: Browser = { send: request.send ?? patientFetch, cookies: new Map() };
  let page = await visit(authorizeUrl(request, challenge), browser);
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const { location } = page;
    if (location !== undefined && location.href.startsWith(request.redirectUri)) return codeOf(location);
    page = location === undefined ? await fillIn(page, request, browser) : await visit(location, browser);
  }
  throw new Error('signing in goes round in circles');
}

/** Where an application sends its people to sign in. */
export function authorizeUrl({ baseUrl, clientId, redirectUri, scope = 'read write' }: Omit<SignInRequest, keyof Credentials>, challenge: string): URL {
  const parameters = new URLSearchParams({
    response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope, state: 'tour', code_challenge: challenge, code_challenge_method: 'S256',
  });
  return new URL(`${AUTHORIZE}?${parameters}`, baseUrl);
}

function codeOf(location: URL): string {
  const parameters = new URLSearchParams(location.search || location.hash.slice(1));
  const code = parameters.get('code');
  if (code === null) throw new Error(`signing in ended with ${parameters.get('error') ?? 'no code'}: ${parameters.get('error_description') ?? ''}`);
  return code;
}

export interface Browser {
  readonly send: typeof patientFetch;
  readonly cookies: Map<string, string>;
}

export interface VisitedPage {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
  readonly location: URL | undefined;
}

/** The sign-in page has the inputs `email` and `password`; the consent page a button that allows. */
function fillIn(page: VisitedPage, { email, password }: Credentials, browser: Browser): Promise<VisitedPage> {
  if (page.status >= 400 || page.text.includes('role="alert"')) throw new Error(`signing in was refused (${page.status}): ${textOf(page.text)}`);
  const action = /<form[^>]*action="([^"]*)"/.exec(page.text)?.[1];
  if (action === undefined) throw new Error(`a page without a form (${page.status}): ${textOf(page.text)}`);
  const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']): [string, string] => [name, value]);
  const answers: [string, string][] = page.text.includes('name="password"') ? [['email', email], ['password', password]] : [['decision', 'allow']];
  return visit(new URL(action.replaceAll('&amp;', '&'), page.url), browser, new URLSearchParams([...hidden, ...answers]));
}

const textOf = (markup: string) => markup.replace(/<style[\s\S]*?<\/style>/g, '').replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim().slice(0, 300);

/** One page, without what it redirects to. */
export async function visit(url: URL, { send, cookies }: Browser, form?: URLSearchParams): Promise<VisitedPage> {
  const response = await send(url, {
    redirect: 'manual',
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '), ...(form && repeatable('POST')) },
    ...(form && { method: 'POST', body: form }),
  });
  for (const line of response.headers.getSetCookie()) {
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
    cookies.set(name.trim(), value);
  }
  const location = response.headers.get('location');
  return { url, status: response.status, text: await response.text(), location: location === null ? undefined : new URL(location, url) };
}
