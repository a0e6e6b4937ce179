import { decodeJwt } from 'jose';
import { APP_REDIRECT_URI, registerApp } from './applications';
import { Browser, type BrowserResponse, newVerifier } from './browser';
import { type PassportApp, REDIRECT_URI, startPassport } from './passport-app';
import { AUTHORIZE, authorizeUrl, exchange, type Parameters, signInAt, TOKEN } from './sign-in';

const V1_AUTHORIZE = '/passportsvc/api/v1/oauth/authorize';
const SECRET = 'a-secret-of-an-application';

describe('an authorization request', () => {
  let passport: PassportApp;
  let signedIn: Browser;
  beforeAll(async () => {
    passport = await startPassport();
    signedIn = new Browser(passport.baseUrl);
    await signInAt(signedIn, authorizeUrl(newVerifier()));
  });
  afterAll(() => passport?.stop());

  const issuer = () => `${passport.baseUrl}/passportsvc`;
  const ask = (changes: Parameters = {}, path?: string) => signedIn.get(authorizeUrl(newVerifier(), changes, path));
  const inFragment = ({ location }: BrowserResponse) => Object.fromEntries(new URLSearchParams(location?.hash.slice(1)));
  const inQuery = ({ location }: BrowserResponse) => Object.fromEntries(location?.searchParams ?? []);
  const isPage = ({ status, location, text }: BrowserResponse) => status === 400 && location === undefined && text.includes('This sign-in cannot go on');

  describe('sends nobody anywhere but to a registered address', () => {
    const uri = 'https://app.example.com/callback?tenant=a/b';
    const foreign = [
      'https://app.example.com:8443/callback', 'http://app.example.com/callback', 'https://APP.example.com/callback', 'https://app.example.com/CALLBACK',
      'https://app.example.com/callback/../callback', 'https://app.example.com/./callback', 'https://app.example.com/%63allback', 'https://app.example.com/callback/x',
      'https://app.example.com/callback//', 'https://app.example.com/callback/?', 'https://app.example.com/callback?', 'https://app.example.com/callback?a=b',
      'https://app.example.com/callback#', 'https://app.example.com/callback#x', 'https://app.example.com/callback/#x', 'https://user@app.example.com/callback', 'https://app.example.com@evil.example/callback',
      'https://app.example.com.evil.example/callback', 'https://evil.example/https://app.example.com/callback', 'https://sub.app.example.com/callback', 'https://app.example.com\\@evil.example/callback',
      'https://app.example.com/callback ', ' https://app.example.com/callback', 'https://app.example.com/callback%00', 'https://app.example.com/callback%0d%0aX: y', '//app.example.com/callback', '/callback', 'javascript:alert(1)', 'data:text/html,x',
    ];

    it.each(foreign)('not to %j', async (redirectUri) => {
      const app = await registerApp(passport);
      for (const path of [AUTHORIZE, V1_AUTHORIZE]) expect(isPage(await ask({ client_id: app.id, redirect_uri: redirectUri }, path))).toBe(true);
    });

    it('and takes one trailing slash of the path, not one that ends a query', async () => {
      const app = await registerApp(passport, { redirectUris: [APP_REDIRECT_URI, uri, 'https://app.example.com/dir/'] });
      const code = async (redirectUri: string) => inQuery(await ask({ client_id: app.id, redirect_uri: redirectUri }))['code'];
      for (const known of [APP_REDIRECT_URI, `${APP_REDIRECT_URI}/`, uri, 'https://app.example.com/dir', 'https://app.example.com/dir/']) expect(await code(known)).toEqual(expect.any(String));
      expect(isPage(await ask({ client_id: app.id, redirect_uri: `${uri}/` }))).toBe(true);
      expect(isPage(await ask({ client_id: app.id, redirect_uri: 'https://app.example.com' }))).toBe(true);
    });

    it('and lets a native app listen on any port of its loopback address', async () => {
      const app = await registerApp(passport, { redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'http://127.0.0.1:8080/fixed', 'http://localhost/callback'] });
      for (const redirectUri of ['http://127.0.0.1:51004/callback', 'http://127.0.0.1/callback', 'http://[::1]:51004/callback/', 'http://127.0.0.1:8080/fixed']) {
        const verifier = newVerifier();
        const answer = await signedIn.get(authorizeUrl(verifier, { client_id: app.id, redirect_uri: redirectUri }));
        expect(answer.headers.get('location')?.startsWith(`${redirectUri}?code=`)).toBe(true);
        const form = { grant_type: 'authorization_code', client_id: app.id, code: inQuery(answer)['code'], code_verifier: verifier };
        // The token endpoint wants the very address of the request (RFC 6749 section 4.1.3).
        const at = (uri: string) => exchange(passport.baseUrl, { ...form, redirect_uri: uri });
        expect([(await at(redirectUri.replace(/(:\d+)?\/(callback|fixed)/, ':7/$2'))).status, (await at(redirectUri)).status]).toEqual([403, 200]);
      }
      for (const redirectUri of ['http://127.0.0.1:8081/fixed', 'http://localhost:51004/callback', 'http://127.0.0.1:65536/callback', 'https://127.0.0.1:51004/callback', 'http://127.0.0.2:51004/callback']) {
        expect(isPage(await ask({ client_id: app.id, redirect_uri: redirectUri }))).toBe(true);
      }
    });

    it.each<[string, Parameters]>([
      ['a bad response type', { response_type: 'password' }],
      ['a bad scope', { scope: 'read"' }],
      ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
      ['prompt=none', { prompt: 'none' }],
      ['a request object', { request: 'x.y.z' }],
      ['a response mode that there is not', { response_mode: 'form_post' }],
    ])('nor with an error: %s', async (_name, fault) => {
      expect(isPage(await ask({ redirect_uri: 'https://evil.example/', ...fault }))).toBe(true);
      expect(isPage(await ask({ client_id: 'nobody', ...fault }))).toBe(true);
      expect(isPage(await new Browser(passport.baseUrl).get(authorizeUrl(newVerifier(), { redirect_uri: 'https://evil.example/', ...fault }, V1_AUTHORIZE)))).toBe(true);
    });

    it('nor by an address that comes twice', async () => {
      const twice = (name: string, value: string) => signedIn.get(`${authorizeUrl(newVerifier())}&${name}=${encodeURIComponent(value)}`);
      expect(isPage(await twice('redirect_uri', 'https://evil.example/'))).toBe(true);
      expect(isPage(await twice('redirect_uri', REDIRECT_URI))).toBe(true);
      expect(isPage(await twice('client_id', 'console'))).toBe(true);
    });
  });

  it.each<[string, string]>([
    ['state', 'other'], ['scope', 'write'], ['code_challenge', 'x'.repeat(43)], ['code_challenge_method', 'plain'], ['response_type', 'token'], ['nonce', 'n'], ['response_mode', 'query'], ['prompt', 'none'],
  ])('is refused when %s comes twice', async (name, value) => {
    const answer = await signedIn.get(`${authorizeUrl(newVerifier(), { scope: 'openid read', nonce: 'm', prompt: 'login', response_mode: 'fragment' })}&${name}=${value}`);
    const told = { ...inQuery(answer), ...inFragment(answer) };
    expect(told).toMatchObject({ error: 'invalid_request' });
    expect(told['code']).toBeUndefined();
  });

  it.each<[string, Parameters, string]>([
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['the address of a request object', { request_uri: 'https://evil.example/request' }, 'request_uri_not_supported'],
    ['a registration', { registration: '{}' }, 'registration_not_supported'],
    ['a form as the answer', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['an ID token from here', { response_type: 'id_token', scope: 'openid', nonce: 'n' }, 'unsupported_response_type'],
    ['a hybrid answer', { response_type: 'code id_token', scope: 'openid', nonce: 'n' }, 'unsupported_response_type'],
    ['a code and a token', { response_type: 'code token' }, 'unsupported_response_type'],
    ['a token on v2', { response_type: 'token' }, 'unsupported_response_type'],
    ['method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['method s256', { code_challenge_method: 's256' }, 'invalid_request'],
    ['a challenge without a method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a method without a challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a challenge that is none', { code_challenge: 'short' }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ])('is refused for %s, with state and iss', async (_name, changes, error) => {
    const answer = await ask(changes);
    expect(answer.location?.href.startsWith(REDIRECT_URI)).toBe(true);
    const told = { ...inQuery(answer), ...inFragment(answer) };
    expect(told).toMatchObject({ error, state: 'st', iss: issuer() });
    expect(Object.keys(told).filter((name) => name === 'code' || name === 'access_token')).toEqual([]);
  });

  it('says who answers, with a code, a token and a refusal (RFC 9207)', async () => {
    const app = await registerApp(passport, { authorizedGrantTypes: ['authorization_code', 'implicit'] });
    const answers = [await ask(), await ask({ client_id: app.id, redirect_uri: APP_REDIRECT_URI, response_type: 'token' }, V1_AUTHORIZE), await ask({ prompt: 'none', max_age: '-1' })];
    expect(answers.map((answer) => inFragment(answer)['iss'])).toEqual([issuer(), issuer(), issuer()]);
  });

  it('may bring a nonce without openid, as some clients do, and gets a code all the same', async () => {
    expect(inQuery(await ask({ nonce: 'n' }))).toMatchObject({ code: expect.any(String), state: 'st' });
  });

  it('gets what it asked for in the query and the fragment alone when its application says so', async () => {
    const app = await registerApp(passport, { responseMode: 'query' });
    const answer = await ask({ client_id: app.id, redirect_uri: APP_REDIRECT_URI });
    expect([inQuery(answer)['code'], answer.location?.hash]).toEqual([expect.any(String), '']);
  });

  it('tells nobody where it came from, and is kept by nobody', async () => {
    for (const { headers } of [await ask(), await ask({ prompt: 'login' }), await ask({ redirect_uri: 'https://evil.example/' })]) {
      expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['no-referrer', 'no-store']);
    }
  });

  it('is answered by 302 and 303, never by 307, which would send a form on', async () => {
    const [path, query] = authorizeUrl(newVerifier()).split('?') as [string, string];
    expect((await signedIn.submit(path, Object.fromEntries(new URLSearchParams(query)))).status).toBe(302);
    const browser = new Browser(passport.baseUrl);
    const page = await browser.get((await browser.get(authorizeUrl(newVerifier()))).location as URL);
    expect((await browser.fill(page, { email: 'admin@example.com', password: 'correct horse battery' })).status).toBe(303);
  });

  describe('for a token on v1', () => {
    const take = async (changes: Parameters = {}, app: Parameters = {}) =>
      ask({ response_type: 'token', code_challenge: undefined, code_challenge_method: undefined, redirect_uri: APP_REDIRECT_URI, ...app, ...changes }, V1_AUTHORIZE);

    it.each(['both', 'fragment', 'query'] as const)('gets it in the fragment and nowhere else, when the application takes codes by %s', async (responseMode) => {
      const app = await registerApp(passport, { authorizedGrantTypes: ['authorization_code', 'implicit'], responseMode });
      const answer = await take({ client_id: app.id, scope: 'read' });
      const { access_token: token = '', ...rest } = inFragment(answer);
      expect({ status: answer.status, query: answer.location?.search, ...rest }).toEqual({
        status: 302, query: '', token_type: 'Bearer', expires_in: '3600', scope: 'read', state: 'st', iss: issuer(),
      });
      expect(decodeJwt(token)).toMatchObject({ client_id: app.id, scope: 'read', sid: expect.any(String), gid: expect.any(String) });
      const me = (path: string) => fetch(`${passport.baseUrl}/passportsvc/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
      expect((await me('users/me')).status).toBe(200);
    });

    it('gets it after the sign-in page too, and a logout ends it', async () => {
      const app = await registerApp(passport, { authorizedGrantTypes: ['authorization_code', 'implicit'] });
      const request = { client_id: app.id, redirect_uri: APP_REDIRECT_URI, response_type: 'token', code_challenge: undefined, code_challenge_method: undefined };
      const answer = await signInAt(new Browser(passport.baseUrl), authorizeUrl(newVerifier(), request, V1_AUTHORIZE));
      const { access_token: token, code } = { ...inQuery(answer), ...inFragment(answer) };
      expect([answer.location?.search, code]).toEqual(['', undefined]);
      const call = async (path: string) => (await fetch(`${passport.baseUrl}/passportsvc/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
      expect([await call('users/me'), await call('logout'), await call('users/me')]).toEqual([200, 204, 401]);
    });

    it('gets no refresh token, and none in the query even when it asks for that', async () => {
      const app = await registerApp(passport, { authorizedGrantTypes: ['authorization_code', 'implicit', 'refresh_token'] });
      expect(inFragment(await take({ client_id: app.id }))['refresh_token']).toBeUndefined();
      const asked = await take({ client_id: app.id, response_mode: 'query' });
      expect({ ...inQuery(asked), ...inFragment(asked) }).toMatchObject({ error: 'invalid_request' });
      const both = await take({ client_id: app.id, response_mode: 'both' });
      expect([both.location?.search, inFragment(both)['access_token']]).toEqual(['', expect.any(String)]);
    });

    it('is refused to an application that does not list implicit, also by POST, and on v2 to everybody', async () => {
      const plain = await registerApp(passport);
      const implicit = await registerApp(passport, { authorizedGrantTypes: ['authorization_code', 'implicit'] });
      expect(inFragment(await take({ client_id: plain.id }))).toMatchObject({ error: 'unauthorized_client', state: 'st' });
      expect(inFragment(await ask({ client_id: implicit.id, redirect_uri: APP_REDIRECT_URI, response_type: 'token' }))).toMatchObject({ error: 'unsupported_response_type' });
      const [path, query] = authorizeUrl(newVerifier(), { client_id: plain.id, redirect_uri: APP_REDIRECT_URI, response_type: 'token' }, V1_AUTHORIZE).split('?') as [string, string];
      expect(inFragment(await signedIn.submit(path, Object.fromEntries(new URLSearchParams(query))))).toMatchObject({ error: 'unauthorized_client' });
    });

    it('is no grant of the token endpoint', async () => {
      const app = await registerApp(passport, { authorizedGrantTypes: ['authorization_code', 'implicit'], secret: SECRET });
      for (const path of [TOKEN, '/passportsvc/api/v1/oauth/token']) {
        const refused = await exchange(passport.baseUrl, { grant_type: 'implicit', client_id: app.id, client_secret: SECRET }, path);
        expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ error: 'unsupported_grant_type' })]);
      }
    });
  });

  it('gives scopes of users alone, whatever is asked for', async () => {
    const app = await registerApp(passport);
    const verifier = newVerifier();
    const code = inQuery(await signedIn.get(authorizeUrl(verifier, { client_id: app.id, redirect_uri: APP_REDIRECT_URI, scope: 'read scim download-secrets admin' })))['code'];
    const response = await exchange(passport.baseUrl, { grant_type: 'authorization_code', code, client_id: app.id, redirect_uri: APP_REDIRECT_URI, code_verifier: verifier });
    expect(await response.json()).toMatchObject({ scope: 'read' });
  });
});
