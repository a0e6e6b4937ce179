import { decodeJwt } from 'jose';
import { CONSOLE_APP_ID } from '@twinyard/conventions';
import * as client from 'openid-client';
import { DataSource } from 'typeorm';
import { OidcStateRepository } from '../src/oauth/oidc-state.repository';
import { ExpirySweep } from '../src/sessions/expiry-sweep';
import { APP_REDIRECT_URI, registerApp } from './applications';
import { Browser, newVerifier } from './browser';
import { ADMIN, BOOTSTRAP_CLIENT, type PassportApp, REDIRECT_URI, startPassport, startReplica } from './passport-app';
import { ageRefreshTokens, authorizeUrl, exchange, type Parameters, signInAt, type Tokens, tokensOf } from './sign-in';

const V1_TOKEN = '/passportsvc/api/v1/oauth/token';
const SECRET = 'a-secret-of-an-application';

describe('tokens', () => {
  let passport: PassportApp;
  beforeAll(async () => { passport = await startPassport(); });
  afterAll(async () => { await passport.stop(); });

  const basic = (id: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` });
  const asRobot = () => basic(BOOTSTRAP_CLIENT.id, BOOTSTRAP_CLIENT.secret);
  const get = (path: string, token: string) => fetch(passport.baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
  const clientToken = async (form: Parameters = {}, query = '', headers: Record<string, string> = asRobot()) => {
    const response = await exchange(passport.baseUrl, { grant_type: 'client_credentials', scope: 'read', ...form }, V1_TOKEN + query, headers);
    return { status: response.status, ...((await response.json()) as Tokens) };
  };

  describe('of a client', () => {
    it('come for Basic credentials, as the specification shows them', async () => {
      const answer = await clientToken({ scope: 'scim' });
      expect(answer).toEqual({ status: 200, access_token: expect.any(String), token_type: 'bearer', expires_in: 1800, scope: 'scim', jti: expect.any(String) });
      expect(decodeJwt(answer.access_token)).toMatchObject({ sub: 'robot', client_id: 'robot', principal_type: 'client', scope: 'scim', jti: answer.jti });
      const info = await get('/passportsvc/api/v1/principalinfo', answer.access_token);
      expect(await info.json()).toEqual({ _type: 'client', _clientid: 'robot', _scopes: ['scim'] });
    });

    it('come for credentials in the form, and all scopes of the client when none is asked for', async () => {
      const answer = await clientToken({ client_id: BOOTSTRAP_CLIENT.id, client_secret: BOOTSTRAP_CLIENT.secret, scope: undefined }, '', {});
      expect(answer).toMatchObject({ status: 200, scope: 'read write scim' });
    });

    it('live as long as asked, up to a day', async () => {
      expect(await clientToken({}, '?expiresIn=7200')).toMatchObject({ status: 200, expires_in: 7200 });
      expect(await clientToken({}, '?expiresIn=99999999')).toMatchObject({ status: 200, expires_in: 86_400 });
      expect(await clientToken({}, '?expiresIn=soon')).toMatchObject({ status: 403, error: 'invalid_request' });
    });

    it.each<[string, Parameters, Record<string, string> | undefined, string]>([
      ['a wrong secret', {}, basic('robot', 'wrong'), 'invalid_client'],
      ['an unknown client', {}, basic('nobody', 'wrong'), 'invalid_client'],
      ['no credentials', {}, {}, 'invalid_request'],
      ['a scope that it was not given', { scope: 'download-secrets' }, undefined, 'invalid_scope'],
      ['the password grant', { grant_type: 'password', username: ADMIN.email, password: ADMIN.password }, undefined, 'unsupported_grant_type'],
      ['a grant that is not its own', { grant_type: 'authorization_code', code: 'x', redirect_uri: REDIRECT_URI }, undefined, 'unauthorized_client'],
    ])('are refused with 403 for %s', async (_name, form, headers, error) => {
      expect(await clientToken(form, '', headers ?? asRobot())).toMatchObject({ status: 403, error });
    });

    it.each<[string, string, RequestInit]>([
      ['JSON', '', { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ grant_type: 'client_credentials' }) }],
      ['text', '', { headers: { 'content-type': 'text/plain' }, body: 'grant_type=client_credentials' }],
      ['nothing', '', {}],
      ['more than a form may hold', '', { body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'x'.repeat(60_000) }) }],
    ])('are refused for %s in the place of a form', async (_name, query, { headers, body }) => {
      const response = await fetch(`${passport.baseUrl}/passportsvc/api/v1/oauth/token${query}`, { method: 'POST', headers: { ...asRobot(), ...(headers as object) }, ...(body != null && { body }) });
      expect([response.status, ((await response.json()) as Tokens).error]).toEqual([403, 'invalid_request']);
    });

    it('are refused for a NUL in a parameter', async () => {
      const response = await exchange(passport.baseUrl, { grant_type: 'client_credentials' }, '/passportsvc/api/v1/oauth/token?expiresIn=%00', asRobot());
      expect(response.status).toBe(400);
    });

    it('are kept by nobody on the way, and their request has a name', async () => {
      const { headers } = await exchange(passport.baseUrl, { grant_type: 'client_credentials' }, '/passportsvc/api/v1/oauth/token/', { ...asRobot(), 'x-request-id': 'mine' });
      const names = ['cache-control', 'x-request-id', 'x-content-type-options', 'referrer-policy', 'vary'];
      expect(names.map((name) => headers.get(name))).toEqual(['no-store', 'mine', 'nosniff', 'no-referrer', expect.stringContaining('Origin')]);
    });

    it('are counted like any request', async () => {
      const strict = await startReplica({ ...passport, settings: { ...passport.settings, RATE_LIMIT_PER_MINUTE: 2 } });
      const asked: Response[] = [];
      for (let time = 0; time < 3; time += 1) asked.push(await exchange(strict.url, { grant_type: 'client_credentials' }, V1_TOKEN, asRobot()));
      await strict.stop();
      expect(asked.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(Number(asked[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    });

    it('are revoked one by one', async () => {
      const [one, other] = [await clientToken(), await clientToken()];
      const revoked = await exchange(passport.baseUrl, { token: one.access_token }, '/passportsvc/api/v1/oauth/revoke', asRobot());
      expect(revoked.status).toBe(200);
      expect((await get('/passportsvc/api/v1/principalinfo', one.access_token)).status).toBe(401);
      expect((await get('/passportsvc/api/v1/principalinfo', other.access_token)).status).toBe(200);
    });
  });

  it('are introspected by clients of the platform, and by nobody without a secret', async () => {
    const { access_token: token } = await tokensOf(passport.baseUrl);
    const introspect = async (value: string, form: Parameters = {}, headers: Record<string, string> = asRobot()) => {
      const response = await exchange(passport.baseUrl, { token: value, ...form }, '/passportsvc/api/v1/oauth/introspect', headers);
      return { status: response.status, ...((await response.json()) as object) };
    };
    expect(await introspect(token)).toMatchObject({ status: 200, active: true, client_id: 'console', scope: 'read write', token_type: 'Bearer', sub: decodeJwt(token).sub });
    expect(await introspect(`${token.slice(0, -4)}AAAA`)).toEqual({ status: 200, active: false });
    expect(await introspect(token, { client_id: 'console' }, {})).toMatchObject({ status: 401, error: 'invalid_client' });
    await get('/passportsvc/api/v1/logout', token);
    expect(await introspect(token)).toEqual({ status: 200, active: false });
  });

  it('refuses forged tokens: another algorithm, no signature, another type or audience', async () => {
    const { access_token: token, id_token: idToken } = await tokensOf(passport.baseUrl);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = decodeJwt(token);
    const forged = [
      `${part({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      `${part({ alg: 'none', typ: 'at+jwt' })}.${payload}.x`,
      `${part({ alg: 'HS256', typ: 'at+jwt' })}.${payload}.${signature}`,
      `${part({ alg: 'ES256', typ: 'at+jwt', kid: '../../etc/passwd' })}.${payload}.${signature}`,
      `${header}.${part({ ...claims, sub: 'somebody' })}.${signature}`,
      `${header}.${part({ ...claims, aud: 'https://elsewhere.example' })}.${signature}`,
    ];
    expect(idToken).toBeUndefined();
    for (const value of forged) expect((await get('/passportsvc/api/v1/users/me', value)).status).toBe(401);
  });

  it('does not take an ID token for an access token', async () => {
    const verifier = newVerifier();
    const answer = await signInAt(new Browser(passport.baseUrl), authorizeUrl(verifier, { scope: 'openid profile email read', nonce: 'n-1' }));
    const form = { grant_type: 'authorization_code', code: answer.location?.searchParams.get('code') ?? '', client_id: CONSOLE_APP_ID, redirect_uri: REDIRECT_URI, code_verifier: verifier };
    const { id_token: idToken = '' } = (await (await exchange(passport.baseUrl, form)).json()) as Tokens;
    expect(decodeJwt(idToken)).toMatchObject({ nonce: 'n-1', aud: 'console', email: ADMIN.email });
    expect((await get('/passportsvc/api/v1/users/me', idToken)).status).toBe(401);
  });

  describe('refreshed', () => {
    const refreshable = async () => {
      const app = await registerApp(passport, { secret: SECRET, authorizedGrantTypes: ['authorization_code', 'refresh_token'] });
      const verifier = newVerifier();
      const answer = await signInAt(new Browser(passport.baseUrl), authorizeUrl(verifier, { client_id: app.id, redirect_uri: APP_REDIRECT_URI }));
      const code = answer.location?.searchParams.get('code') ?? '';
      const headers = basic(app.id, SECRET);
      const form = { grant_type: 'authorization_code', code, redirect_uri: APP_REDIRECT_URI, code_verifier: verifier };
      const tokens = (await (await exchange(passport.baseUrl, form, undefined, headers)).json()) as Tokens;
      const refresh = async (token: string | undefined, path?: string) => {
        const response = await exchange(passport.baseUrl, { grant_type: 'refresh_token', refresh_token: token }, path, headers);
        return { status: response.status, ...((await response.json()) as Tokens) };
      };
      return { app, tokens, refresh };
    };

    it('rotates, and one that is shown again after its grace revokes all of its family', async () => {
      const { tokens, refresh } = await refreshable();
      const second = await refresh(tokens.refresh_token);
      expect(second).toMatchObject({ status: 200, scope: 'read write', refresh_token: expect.any(String) });
      expect(second.refresh_token).not.toBe(tokens.refresh_token);
      const third = await refresh(second.refresh_token, V1_TOKEN);
      expect(third).toMatchObject({ status: 200, token_type: 'bearer' });

      await ageRefreshTokens(passport.app, 11);
      expect(await refresh(tokens.refresh_token)).toMatchObject({ status: 403, error: 'invalid_grant' });
      expect((await get('/passportsvc/api/v1/users/me', third.access_token)).status).toBe(401);
      expect(await refresh(third.refresh_token)).toMatchObject({ status: 403, error: 'invalid_grant' });
    });

    it('ends with the session', async () => {
      const { tokens, refresh } = await refreshable();
      expect((await get('/passportsvc/api/v1/logout', tokens.access_token)).status).toBe(204);
      expect(await refresh(tokens.refresh_token)).toMatchObject({ status: 403, error: 'invalid_grant' });
    });

    it('is not for public clients', async () => {
      expect((await tokensOf(passport.baseUrl)).refresh_token).toBeUndefined();
    });
  });

  it('on v1, a confidential client may leave PKCE out; on v2 nobody may', async () => {
    const app = await registerApp(passport, { secret: SECRET });
    const without = { client_id: app.id, redirect_uri: APP_REDIRECT_URI, code_challenge: undefined, code_challenge_method: undefined };
    const answer = await signInAt(new Browser(passport.baseUrl), authorizeUrl('unused', without, '/passportsvc/api/v1/oauth/authorize'));
    const code = answer.location?.searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: APP_REDIRECT_URI };
    expect((await exchange(passport.baseUrl, form, V1_TOKEN, basic(app.id, SECRET))).status).toBe(200);
    const refused = await new Browser(passport.baseUrl).get(authorizeUrl('unused', without));
    expect(refused.location?.searchParams.get('error')).toBe('invalid_request');
  });

  it('serves a relying party that knows nothing but the issuer (openid-client)', async () => {
    const issuer = new URL(`${passport.baseUrl}/passportsvc`);
    const config = await client.discovery(issuer, CONSOLE_APP_ID, undefined, client.None(), { execute: [client.allowInsecureRequests] });
    const verifier = client.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI, scope: 'openid profile email read', code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256', state: expectedState, nonce: expectedNonce,
    });
    const answer = await signInAt(new Browser(passport.baseUrl), url.href);
    const callback = new URL(answer.location as URL);
    callback.hash = '';
    const tokens = await client.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier, expectedState, expectedNonce });
    const subject = tokens.claims()?.sub as string;
    expect(await client.fetchUserInfo(config, tokens.access_token, subject)).toMatchObject({ sub: subject, email: ADMIN.email, name: 'Platform Manager' });
    await client.tokenRevocation(config, tokens.access_token);
    expect((await get('/passportsvc/api/v1/oauth/userinfo', tokens.access_token)).status).toBe(401);
  });

  it('keeps nothing in the database that could be shown to get in', async () => {
    const verifier = newVerifier();
    const answer = await signInAt(new Browser(passport.baseUrl), authorizeUrl(verifier));
    const session = /passport_session=([^;]+)/.exec(answer.headers.getSetCookie().join(' '))?.[1] ?? '';
    const dump = JSON.stringify(await passport.app.get(DataSource).query('SELECT * FROM oidc_state, signing_key, oauth_client, app_user'));
    for (const secret of [answer.location?.searchParams.get('code') ?? '', session, BOOTSTRAP_CLIENT.secret, ADMIN.password, '"d":']) {
      expect(secret).not.toBe('');
      expect(dump).not.toContain(secret);
    }
  });

  it('forgets what expired an hour ago, and nothing else', async () => {
    const dataSource = passport.app.get(DataSource);
    const state = passport.app.get(OidcStateRepository);
    await state.upsert('AuthorizationCode', 'old', {}, -3_700);
    await state.upsert('AuthorizationCode', 'recent', {}, -60);
    await passport.app.get(ExpirySweep).sweep();
    expect([await state.find('AuthorizationCode', 'old'), await state.find('AuthorizationCode', 'recent')]).toEqual([undefined, { jti: 'recent' }]);
    expect(Number((await dataSource.query<{ count: string }[]>(`SELECT count(*) FROM oidc_state WHERE model = 'Session'`))[0]?.count)).toBeGreaterThan(0);
  });

  it('publishes public keys alone', async () => {
    const { keys } = (await (await fetch(`${passport.baseUrl}/passportsvc/api/v1/oauth/jwks`)).json()) as { keys: Record<string, unknown>[] };
    expect(keys).toEqual([{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: expect.any(String), x: expect.any(String), y: expect.any(String) }]);
  });
});
