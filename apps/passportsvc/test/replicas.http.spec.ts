import { APP_REDIRECT_URI, registerApp } from './applications';
import { Browser, newVerifier } from './browser';
import { type PassportApp, REDIRECT_URI, startPassport, startReplica } from './passport-app';
import { ageRefreshTokens, authorizeUrl, exchange, signInAt, type Tokens } from './sign-in';

const SECRET = 'a-secret-of-an-application';
const ME = '/passportsvc/api/v1/users/me';

describe('two replicas', () => {
  let passport: PassportApp;
  let replica: Awaited<ReturnType<typeof startReplica>>;
  beforeAll(async () => {
    passport = await startPassport({ CORS_ORIGINS: 'https://known.example' });
    replica = await startReplica(passport);
  });
  afterAll(async () => {
    await replica.stop();
    await passport.stop();
  });

  it('serve any step of a sign-in between them, and a logout on one ends it on both', async () => {
    const browser = new Browser(passport.baseUrl, [passport.baseUrl, replica.url]);
    const verifier = newVerifier();
    const answer = await signInAt(browser, authorizeUrl(verifier));
    const form = { grant_type: 'authorization_code', code: answer.location?.searchParams.get('code') ?? '', client_id: 'console', redirect_uri: REDIRECT_URI, code_verifier: verifier };
    const { access_token: token } = (await (await exchange(replica.url, form)).json()) as Tokens;
    const statuses = async () => Promise.all([passport.baseUrl, replica.url].map(async (url) => (await fetch(url + ME, { headers: { authorization: `Bearer ${token}` } })).status));
    expect(await statuses()).toEqual([200, 200]);
    await fetch(`${replica.url}/passportsvc/api/v1/logout`, { headers: { authorization: `Bearer ${token}` } });
    expect(await statuses()).toEqual([401, 401]);
  });

  it('take over from each other at every step: begin, page, password, question, code, refresh, revocation', async () => {
    const app = await registerApp(passport, { secret: SECRET, firstParty: false, authorizedGrantTypes: ['authorization_code', 'refresh_token'] });
    const [one, other] = [passport.baseUrl, replica.url];
    // Each request goes to the one that did not answer the request before: the page is drawn on one and sent to the other.
    const browser = new Browser(one, [one, other]);
    const verifier = newVerifier();
    const resumed = await signInAt(browser, authorizeUrl(verifier, { client_id: app.id, redirect_uri: APP_REDIRECT_URI }));
    const agreed = await browser.fill(await browser.get(resumed.location as URL), { decision: 'allow' });
    const code = (await browser.get(agreed.location as URL)).location?.searchParams.get('code') ?? '';
    const of = { client_id: app.id, client_secret: SECRET, redirect_uri: APP_REDIRECT_URI };
    const tokens = (await (await exchange(one, { ...of, grant_type: 'authorization_code', code, code_verifier: verifier })).json()) as Tokens;
    const next = (await (await exchange(other, { ...of, grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).json()) as Tokens;
    const statuses = () => Promise.all([one, other].map(async (url) => (await fetch(url + ME, { headers: { authorization: `Bearer ${next.access_token}` } })).status));
    expect(await statuses()).toEqual([200, 200]);
    await ageRefreshTokens(passport.app, 11);
    expect((await exchange(one, { ...of, grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).status).toBe(403);
    expect(await statuses()).toEqual([401, 401]);
    expect((await exchange(other, { ...of, grant_type: 'refresh_token', refresh_token: next.refresh_token })).status).toBe(403);
  });

  it('give two refreshes at once, on either of them, the same next token: one family', async () => {
    const app = await registerApp(passport, { secret: SECRET, authorizedGrantTypes: ['authorization_code', 'refresh_token'] });
    const of = { client_id: app.id, client_secret: SECRET, redirect_uri: APP_REDIRECT_URI };
    const verifier = newVerifier();
    const answer = await signInAt(new Browser(passport.baseUrl), authorizeUrl(verifier, { client_id: app.id, redirect_uri: APP_REDIRECT_URI }));
    const form = { ...of, grant_type: 'authorization_code', code: answer.location?.searchParams.get('code') ?? '', code_verifier: verifier };
    const { refresh_token: token } = (await (await exchange(passport.baseUrl, form)).json()) as Tokens;
    const raced = await Promise.all([passport.baseUrl, replica.url].map(async (url) => (await exchange(url, { ...of, grant_type: 'refresh_token', refresh_token: token })).json() as Promise<Tokens>));
    const [next, ...others] = new Set(raced.map((answer) => answer.refresh_token));
    expect([typeof next, others]).toEqual(['string', []]);
    expect((await exchange(replica.url, { ...of, grant_type: 'refresh_token', refresh_token: next })).status).toBe(200);
    for (const { access_token: access } of raced) expect((await fetch(replica.url + ME, { headers: { authorization: `Bearer ${access}` } })).status).toBe(200);
  });

  it('take one code once, whichever of them gets it', async () => {
    const verifier = newVerifier();
    const answer = await signInAt(new Browser(passport.baseUrl), authorizeUrl(verifier));
    const form = { grant_type: 'authorization_code', code: answer.location?.searchParams.get('code') ?? '', client_id: 'console', redirect_uri: REDIRECT_URI, code_verifier: verifier };
    const responses = await Promise.all([passport.baseUrl, replica.url].map((url) => exchange(url, form)));
    expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it('let only known origins read the answers of the OAuth endpoints', async () => {
    const form = { grant_type: 'authorization_code', client_id: 'console', code: 'x', redirect_uri: REDIRECT_URI };
    const allowed = async (origin: string) => (await exchange(passport.baseUrl, form, undefined, { origin })).headers.get('access-control-allow-origin');
    expect(await allowed('https://known.example')).toBe('https://known.example');
    expect(await allowed(new URL(REDIRECT_URI).origin)).toBe(new URL(REDIRECT_URI).origin);
    expect(await allowed('https://evil.example')).toBeNull();
    const preflight = await fetch(`${passport.baseUrl}/passportsvc/api/v2/oauth/token`, {
      method: 'OPTIONS', headers: { origin: 'https://known.example', 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, 'https://known.example']);
  });
});
