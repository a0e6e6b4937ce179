import { decodeJwt, decodeProtectedHeader } from 'jose';
import { APP_REDIRECT_URI, registerApp } from './applications';
import { Browser, challengeOf, newVerifier } from './browser';
import { type PassportApp, REDIRECT_URI, startPassport } from './passport-app';
import { authorizeUrl, exchange, type Parameters, signInAt, type Tokens } from './sign-in';

const V1_AUTHORIZE = '/passportsvc/api/v1/oauth/authorize';
const V1_TOKEN = '/passportsvc/api/v1/oauth/token';

describe('sign-in with code and PKCE', () => {
  let passport: PassportApp;
  let signedIn: Browser;
  beforeAll(async () => {
    passport = await startPassport();
    signedIn = new Browser(passport.baseUrl);
  });
  afterAll(async () => { await passport.stop(); });

  const codeFor = async (verifier: string, changes: Parameters = {}) => {
    const answer = await signInAt(signedIn, authorizeUrl(verifier, changes));
    return answer.location?.searchParams.get('code') as string;
  };
  const redeem = (code: string, verifier: string | undefined, changes: Parameters = {}, path?: string) =>
    exchange(passport.baseUrl, { grant_type: 'authorization_code', code, client_id: 'console', redirect_uri: REDIRECT_URI, code_verifier: verifier, ...changes }, path);
  const whoAmI = (token: string) => fetch(`${passport.baseUrl}/passportsvc/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } });

  it('goes through the sign-in page and ends with a token that opens the API', async () => {
    const verifier = newVerifier(16);
    const answer = await signInAt(new Browser(passport.baseUrl), authorizeUrl(verifier));
    const location = answer.location as URL;
    const inQuery = Object.fromEntries(location.searchParams);
    expect({ status: answer.status, to: location.origin + location.pathname, ...inQuery }).toEqual({
      status: 302, to: REDIRECT_URI, code: expect.any(String), state: 'st', iss: `${passport.baseUrl}/passportsvc`,
    });
    expect(Object.fromEntries(new URLSearchParams(location.hash.slice(1)))).toEqual(inQuery);

    const response = await redeem(inQuery['code'] as string, verifier);
    const tokens = (await response.json()) as Tokens;
    expect({ status: response.status, ...tokens }).toEqual({
      status: 200, access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, scope: 'read write', jti: expect.any(String),
    });
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      iss: `${passport.baseUrl}/passportsvc`, aud: passport.baseUrl, client_id: 'console', jti: tokens.jti, sid: expect.any(String), gid: expect.any(String),
    });
    const me = await whoAmI(tokens.access_token);
    expect(await me.json()).toMatchObject({ _email: 'admin@example.com', _firstname: 'Platform' });
  });

  it('asks nobody twice: the session of the browser answers the next request', async () => {
    const browser = new Browser(passport.baseUrl);
    await signInAt(browser, authorizeUrl(newVerifier()));
    const again = await browser.get(authorizeUrl(newVerifier()));
    expect(again.location?.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('takes the request by POST, with a trailing slash, and on v1', async () => {
    const browser = new Browser(passport.baseUrl);
    const verifier = newVerifier();
    const [path, query] = authorizeUrl(verifier).split('?') as [string, string];
    const posted = await browser.submit(path, Object.fromEntries(new URLSearchParams(query)));
    expect(posted.location?.pathname).toMatch(/^\/passportsvc\/sign-in\//);
    const slashed = await browser.get(`${path}/?${query}`);
    expect(slashed.location?.pathname).toMatch(/^\/passportsvc\/sign-in\//);
    const answer = await signInAt(browser, authorizeUrl(verifier, {}, V1_AUTHORIZE));
    const response = await redeem(answer.location?.searchParams.get('code') as string, verifier, {}, V1_TOKEN);
    expect(await response.json()).toMatchObject({ token_type: 'bearer', jti: expect.any(String) });
  });

  it.each([
    ['fragment', { code: false, hash: true }],
    ['query', { code: true, hash: false }],
  ])('delivers the code in the %s alone when asked to', async (mode, expected) => {
    const answer = await signInAt(signedIn, authorizeUrl(newVerifier(), { response_mode: mode }));
    const { searchParams, hash } = answer.location as URL;
    expect({ code: searchParams.has('code'), hash: hash.includes('code=') }).toEqual(expected);
  });

  it('follows the response mode of the application', async () => {
    const app = await registerApp(passport, { responseMode: 'fragment' });
    const answer = await signInAt(signedIn, authorizeUrl(newVerifier(), { client_id: app.id, redirect_uri: APP_REDIRECT_URI }));
    expect(answer.location?.search).toBe('');
    expect(answer.location?.hash).toContain('code=');
  });

  it('compares redirect URIs exactly, one trailing slash aside', async () => {
    const verifier = newVerifier();
    const code = await codeFor(verifier, { redirect_uri: `${REDIRECT_URI}/` });
    expect((await redeem(code, verifier)).status).toBe(200);
    for (const uri of [`${REDIRECT_URI}//`, `${REDIRECT_URI}?x=1`, 'http://127.0.0.1:10/callback', 'http://127.0.0.1:9/Callback', 'https://evil.example/', 'javascript:alert(1)']) {
      const refused = await new Browser(passport.baseUrl).get(authorizeUrl(verifier, { redirect_uri: uri }));
      expect({ uri, status: refused.status, location: refused.location, type: refused.headers.get('content-type') }).toEqual({
        uri, status: 400, location: undefined, type: 'text/html; charset=utf-8',
      });
    }
  });

  it('shows an error page for an unknown client, and escapes what it was sent', async () => {
    const refused = await new Browser(passport.baseUrl).get(authorizeUrl(newVerifier(), { client_id: '<script>alert(1)</script>' }));
    expect({ status: refused.status, location: refused.location }).toEqual({ status: 400, location: undefined });
    expect(refused.text).toContain('This sign-in cannot go on');
    expect(refused.text).not.toContain('<script');
    expect(refused.headers.get('content-security-policy')).toContain(`default-src 'none'`);
  });

  it.each<[string, Parameters, string]>([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
    ['prompt=none without a session', { prompt: 'none' }, 'login_required'],
    ['another resource', { resource: 'https://elsewhere.example' }, 'invalid_target'],
  ])('tells the application of a bad request: %s', async (_name, changes, error) => {
    const answer = await new Browser(passport.baseUrl).get(authorizeUrl(newVerifier(), changes));
    expect(answer.location?.origin).toBe(new URL(REDIRECT_URI).origin);
    expect(Object.fromEntries(answer.location?.searchParams ?? [])).toMatchObject({ error, state: 'st', iss: `${passport.baseUrl}/passportsvc` });
  });

  it('refuses response_type=token on v1 to an application that does not list implicit', async () => {
    const answer = await new Browser(passport.baseUrl).get(authorizeUrl(newVerifier(), { response_type: 'token' }, V1_AUTHORIZE));
    expect(answer.location?.searchParams.get('error')).toBe('unauthorized_client');
  });

  it.each<[string, (verifier: string) => [string | undefined, Parameters], string]>([
    ['another verifier', () => [newVerifier(), {}], 'invalid_grant'],
    ['no verifier', () => [undefined, {}], 'invalid_grant'],
    ['another redirect URI', (verifier) => [verifier, { redirect_uri: 'http://127.0.0.1:9/other' }], 'invalid_grant'],
    ['no redirect URI', (verifier) => [verifier, { redirect_uri: undefined }], 'invalid_request'],
    ['an unknown client', (verifier) => [verifier, { client_id: 'nobody' }], 'invalid_client'],
    ['an unknown code', (verifier) => [verifier, { code: 'unknown' }], 'invalid_grant'],
    ['no grant type', (verifier) => [verifier, { grant_type: undefined }], 'invalid_request'],
  ])('answers 403 with the OAuth body to %s', async (_name, change, error) => {
    const verifier = newVerifier();
    const [given, changes] = change(verifier);
    for (const path of [undefined, V1_TOKEN]) {
      const response = await redeem(await codeFor(verifier), given, changes, path);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error, error_description: expect.any(String) });
    }
  });

  it('takes verifiers of 16 to 128 characters and no others', async () => {
    for (const length of [15, 16, 128, 129]) {
      const verifier = newVerifier(length);
      const response = await redeem(await codeFor(verifier, { code_challenge: challengeOf(verifier) }), verifier);
      expect({ length, status: response.status }).toEqual({ length, status: length === 16 || length === 128 ? 200 : 403 });
    }
  });

  it('revokes every token of a code that is used twice', async () => {
    const verifier = newVerifier();
    const code = await codeFor(verifier);
    const { access_token: token } = (await (await redeem(code, verifier)).json()) as Tokens;
    expect((await whoAmI(token)).status).toBe(200);
    const replay = await redeem(code, verifier);
    expect([replay.status, await replay.json()]).toEqual([403, expect.objectContaining({ error: 'invalid_grant' })]);
    expect((await whoAmI(token)).status).toBe(401);
  });

  it('gives one of several simultaneous requests with one code a token at most', async () => {
    const verifier = newVerifier();
    const code = await codeFor(verifier);
    const responses = await Promise.all(Array.from({ length: 6 }, () => redeem(code, verifier)));
    expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(responses.every(({ status }) => status === 200 || status === 403)).toBe(true);
  });

  it('answers 400 or 403, and never 500, to characters that no database takes', async () => {
    const posted = await new Browser(passport.baseUrl).submit('/passportsvc/api/v2/oauth/authorize', { response_type: 'code', client_id: 'console', redirect_uri: REDIRECT_URI, state: 'a\0b' });
    const asClient = await redeem('x', newVerifier(), { client_id: 'a\0b' });
    const inQuery = await new Browser(passport.baseUrl).get(authorizeUrl(newVerifier(), { state: 'a\0b' }));
    expect([posted.status, asClient.status, inQuery.status]).toEqual([400, 403, 400]);
  });

  it('lets somebody else sign in in the same browser, and does not mix the two', async () => {
    const second = { email: 'second@example.com', password: 'long enough' };
    const made = await fetch(`${passport.baseUrl}/passportsvc/api/v1/accounts`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ _email: second.email, _password: second.password }),
    });
    expect(made.status).toBe(201);
    const browser = new Browser(passport.baseUrl);
    await signInAt(browser, authorizeUrl(newVerifier()));
    const verifier = newVerifier();
    const change = await signInAt(browser, authorizeUrl(verifier, { prompt: 'login' }), second);
    const changed = await browser.submit(/action="([^"]+)"/.exec(change.text)?.[1] ?? '', Object.fromEntries([...change.text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value])));
    const answer = await browser.get(changed.location as URL);
    const { access_token: token } = (await (await redeem(answer.location?.searchParams.get('code') ?? '', verifier)).json()) as Tokens;
    expect(await (await whoAmI(token)).json()).toMatchObject({ _email: second.email });
  });

  it('asks for consent when the application is not first-party, and remembers it for the session', async () => {
    const app = await registerApp(passport, { name: 'Third <b>party</b>', firstParty: false });
    const url = () => authorizeUrl(newVerifier(), { client_id: app.id, redirect_uri: APP_REDIRECT_URI });
    const browser = new Browser(passport.baseUrl);
    const resumed = await signInAt(browser, url());
    const page = await browser.get(resumed.location as URL);
    expect(page.text).toContain('Third &lt;b&gt;party&lt;/b&gt;');
    const denied = await browser.get((await browser.fill(page, { decision: 'deny' })).location as URL);
    expect(denied.location?.searchParams.get('error')).toBe('access_denied');

    const asked = await browser.get((await browser.get(url())).location as URL);
    const allowed = await browser.get((await browser.fill(asked, { decision: 'allow' })).location as URL);
    expect(allowed.location?.searchParams.get('code')).toEqual(expect.any(String));
    const next = await browser.get(url());
    expect(next.location?.searchParams.get('code')).toEqual(expect.any(String));
  });
});
