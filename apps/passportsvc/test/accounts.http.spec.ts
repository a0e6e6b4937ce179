import { decodeProtectedHeader } from 'jose';
import { SigningKeys } from '../src/signing-keys/signing-keys.service';
import { registerApp } from './applications';
import { Browser, newVerifier } from './browser';
import { ADMIN, holdSweeps, type PassportApp, startPassport, startReplica } from './passport-app';
import { authorizeUrl, signInAt, tokensOf } from './sign-in';

const API = '/passportsvc/api/v1';
const keyOf = (token: string) => decodeProtectedHeader(token).kid;

describe('accounts and sessions', () => {
  let passport: PassportApp;
  let admin: string;
  beforeAll(async () => {
    passport = await startPassport();
    admin = (await tokensOf(passport.baseUrl)).access_token;
  });
  afterAll(async () => { await passport.stop(); });

  const call = async (method: string, path: string, token?: string, body?: unknown) => {
    const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }) };
    const response = await fetch(passport.baseUrl + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === '' ? undefined : JSON.parse(text)) as Record<string, unknown> & { _id: string } };
  };
  const signUp = (email: string, changes: object = {}) => call('POST', `${API}/accounts`, undefined, { _email: email, _password: 'long enough', _firstname: 'Ada', _lastname: 'L', ...changes });

  it.each(['x,victim@example.com', 'x;victim@example.com', 'x<y@example.com', '(c)y@example.com', 'x:y@example.com', 'x@example..com', 'x@-example.com', 'x@localhost', '"x"@example.com', 'Ada <ada@example.com>'])('takes no list, name or host that there cannot be for an address: %s', async (email) => {
    expect(await signUp(email)).toMatchObject({ status: 400, body: { details: [{ field: '_email', issue: `must be an e-mail address (it is a string of ${email.length} characters)` }] } });
  });

  it.each([
    ['x@bücher.example', ['x@xn--bcher-kva.example', 'X@BÜCHER.example', 'x@bücher.example.']], ['y@example.com', ['y@ｅｘａｍｐｌｅ.com', 'y@ex\u00adample.com', 'y@example。com']], ['ſam@example.com', ['sam@example.com', 'SAM@example.com']],
  ])('makes one account of one mailbox: %s', async (email, others) => {
    const made = await signUp(email);
    expect(made.status).toBe(201);
    for (const other of others) {
      expect([other, (await signUp(other)).status]).toEqual([other, 409]);
      const { access_token: token } = await tokensOf(passport.baseUrl, { email: other, password: 'long enough' });
      expect((await call('GET', `${API}/users/me`, token)).body).toMatchObject({ _id: made.body._id, _email: made.body['_email'] });
    }
  });

  it('signs up, signs in, and sees and changes itself and nobody else', async () => {
    const made = await signUp('Ada@Example.com', { unknown: 1, _platformManager: true, _disabled: true });
    expect(made).toMatchObject({ status: 201, body: { _email: 'ada@example.com', _firstname: 'Ada', _disabled: false, _metadata: { _createdById: made.body._id } } });
    expect(JSON.stringify(made.body)).not.toMatch(/argon|password/i);
    const { access_token: ada } = await tokensOf(passport.baseUrl, { email: 'ADA@example.com', password: 'long enough' });
    const me = await call('GET', `${API}/users/me`, ada);
    expect(me.body).toEqual(made.body);
    const changed = await call('PUT', `${API}/users/${me.body._id}`, ada, { ...me.body, _firstname: 'Augusta', _locale: 'de-CH' });
    expect(changed).toMatchObject({ status: 200, body: { _firstname: 'Augusta', _lastname: 'L', _locale: 'de-CH' } });
    const adminId = (await call('GET', `${API}/users/me`, admin)).body._id;
    expect((await call('GET', `${API}/users/${adminId}`, ada)).status).toBe(404);
    expect((await call('PUT', `${API}/users/${adminId}`, ada, {})).status).toBe(404);
    expect((await call('GET', `${API}/users/not-an-id`, admin)).status).toBe(404);
    expect((await call('PUT', `${API}/users/${me.body._id}`, ada, { _disabled: true })).status).toBe(403);
  });

  it('names every bad field of a sign-up, and refuses a known address', async () => {
    const bad = await call('POST', `${API}/accounts`, undefined, { _email: 'nobody', _firstname: 7, _locale: '!' });
    const fields = (bad.body['details'] as { field: string }[]).map(({ field }) => field);
    expect({ status: bad.status, fields: [...new Set(fields)].sort() }).toEqual({ status: 400, fields: ['_email', '_firstname', '_locale', '_password'] });
    expect(await signUp('short@example.com', { _password: 'short' })).toMatchObject({ status: 400, body: { details: [{ field: '_password' }] } });
    expect((await signUp('twice@example.com')).status).toBe(201);
    expect((await signUp('TWICE@example.com')).status).toBe(409);
  });

  it('lets few sign-ups through from one address, whichever replica meets them, and none when switched off', async () => {
    const [strict, closed] = await Promise.all([startPassport({ SIGN_UPS_PER_MINUTE: 2 }), startPassport({ SIGN_UP: 'off' })]);
    const other = await startReplica(strict);
    const post = (to: string, email: string) =>
      fetch(`${to}${API}/accounts`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ _email: email, _password: 'long enough' }) });
    const responses = [await post(strict.baseUrl, 'a@example.com'), await post(other.url, 'a@example.com'), await post(other.url, 'b@example.com'), await post(strict.baseUrl, 'b@example.com')];
    expect(responses.map(({ status }) => status)).toEqual([201, 409, 429, 429]);
    expect(Number(responses[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post(closed.baseUrl, 'a@example.com')).status).toBe(403);
    await other.stop();
    await Promise.all([strict.stop(), closed.stop()]);
  });

  it('ends a session with every token of it, and leaves other sessions alone', async () => {
    const browser = new Browser(passport.baseUrl);
    const one = (await tokensOf(passport.baseUrl, ADMIN, browser)).access_token;
    const two = (await tokensOf(passport.baseUrl, ADMIN, browser)).access_token;
    const app = await registerApp(passport);
    const exchanged = await call('POST', `${API}/auth/token?appId=${app.id}`, one);
    const other = (await tokensOf(passport.baseUrl)).access_token;
    expect((await call('GET', `${API}/logout`, two)).status).toBe(204);
    for (const token of [one, two, String(exchanged.body['access_token'])]) {
      const refused = await call('GET', `${API}/users/me`, token);
      expect([refused.status, refused.headers.get('www-authenticate'), refused.body['message']]).toEqual([401, 'Bearer', 'Full authentication is required to access this resource']);
    }
    expect((await call('GET', `${API}/users/me`, other)).status).toBe(200);
    const again = await browser.get(authorizeUrl(newVerifier()));
    expect(again.location?.pathname).toMatch(/\/sign-in\//);
  });

  it('puts a disabled user out at once, and keeps it out', async () => {
    const { body } = await signUp('gone@example.com');
    const credentials = { email: 'gone@example.com', password: 'long enough' };
    const browser = new Browser(passport.baseUrl);
    const { access_token: token } = await tokensOf(passport.baseUrl, credentials, browser);
    expect((await call('PUT', `${API}/users/${body._id}`, admin, { _disabled: true })).body['_disabled']).toBe(true);
    expect((await call('GET', `${API}/users/me`, token)).status).toBe(401);
    expect((await browser.get(authorizeUrl(newVerifier()))).location?.pathname).toMatch(/\/sign-in\//);
    expect((await signInAt(new Browser(passport.baseUrl), authorizeUrl(newVerifier()), credentials)).status).toBe(401);
    await call('PUT', `${API}/users/${body._id}`, admin, { _disabled: false });
    expect((await call('GET', `${API}/users/me`, token)).status).toBe(401);
    expect((await tokensOf(passport.baseUrl, credentials)).access_token).toEqual(expect.any(String));
  });

  it('exchanges a token for one of another application that takes it', async () => {
    const [target, friend, stranger] = [await registerApp(passport), await registerApp(passport), await registerApp(passport)];
    const tokenFor = async (appId: string, token: string, query = '') => call('POST', `${API}/auth/token?appId=${appId}${query}`, token);
    const fromConsole = await tokenFor(friend.id, admin, '&expires_in=60');
    expect(fromConsole).toMatchObject({ status: 200, body: { expires_in: 60, scope: 'read write', token_type: 'bearer', jti: expect.any(String) } });
    const friendToken = String(fromConsole.body['access_token']);
    expect((await call('GET', `${API}/principalinfo`, friendToken)).body).toMatchObject({ _type: 'user', _appid: friend.id, _clientid: friend.id, _userid: expect.any(String), _scopes: ['read', 'write'] });
    expect((await tokenFor(target.id, friendToken)).status).toBe(403);
    const open = await registerApp(passport, { whitelistedApps: [friend.id] });
    expect((await tokenFor(open.id, friendToken)).status).toBe(200);
    expect((await tokenFor(open.id, String((await tokenFor(stranger.id, admin)).body['access_token']))).status).toBe(403);
    expect((await tokenFor('missing', admin)).status).toBe(404);
    expect((await tokenFor(target.id, admin, '&expires_in=-1')).status).toBe(400);
    expect(await tokenFor(target.id, admin, '&expires_in=99999999')).toMatchObject({ body: { expires_in: 86_400 } });
    expect((await call('POST', `${API}/auth/token`, admin)).status).toBe(400);
    expect((await call('POST', `${API}/auth/token?appId=${target.id}`)).status).toBe(401);
  });

  it('goes on with old tokens after its keys were changed, and signs with new ones in time', async () => {
    await holdSweeps(passport.app);
    const keys = passport.app.get(SigningKeys);
    await keys.rotate();
    expect(keyOf((await tokensOf(passport.baseUrl)).access_token)).toBe(keyOf(admin));
    const { keys: published } = (await call('GET', `${API}/oauth/jwks`)).body as unknown as { keys: object[] };
    expect(published).toHaveLength(2);
    await keys.reload(new Date(Date.now() + 61_000));
    const { access_token: later } = await tokensOf(passport.baseUrl);
    expect(keyOf(later)).not.toBe(keyOf(admin));
    expect([(await call('GET', `${API}/users/me`, admin)).status, (await call('GET', `${API}/users/me`, later)).status]).toEqual([200, 200]);
  });

  it('tells everybody the public settings, and lists what it serves', async () => {
    expect((await call('GET', '/passportsvc/api/information/configs')).body).toMatchObject({ signUp: true, themes: { login: expect.any(Array) } });
    expect((await call('GET', `${API}/accounts/passwordPolicies`)).body).toEqual({ _minLength: 8, _maxLength: 128 });
    const { paths } = (await call('GET', `${API}/openapi.json`)).body as unknown as { paths: Record<string, object> };
    expect(Object.keys(paths[`${API}/oauth/token`] ?? {})).toEqual(['post']);
    expect(Object.keys(paths['/passportsvc/api/v2/oauth/authorize'] ?? {}).sort()).toEqual(['get', 'post']);
    expect(Object.keys(paths['/passportsvc/api/v2/oauth/token'] ?? {})).toEqual(['post']);
    expect(Object.keys(paths).filter((path) => path.includes('sign-in') || path.includes('internal'))).toEqual([]);
  });
});
