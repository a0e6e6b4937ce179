import { Browser, newVerifier } from './browser';
import { type PassportApp, REDIRECT_URI, startPassport, startReplica } from './passport-app';
import { authorizeUrl, exchange, signInAt, type Tokens } from './sign-in';

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
