import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { challengeOf, newVerifier } from './browser';
import { ADMIN, type PassportApp, startPassport } from './passport-app';
import { Person, register, RP_CALLBACK, secretOf } from './relying-party';
import { newTenant, type Tenant } from './tenancy';

type Parameters = Record<string, string | undefined>;
interface TokenAnswer {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token?: string;
  readonly error?: string;
  readonly scope?: string;
}

/**
 * What the OpenID Foundation's basic certification profile asks of a provider, by the names of its modules. A provider of this API
 * differs in three things that the contract decides: PKCE is required on v2, ID tokens are signed by ES256 alone, and a refused
 * token request is answered 403.
 */
describe('the basic profile of OpenID Connect', () => {
  let passport: PassportApp;
  let tenant: Tenant;
  let clientId: string;
  let secret: string;
  let known: Record<string, string | string[]>;
  const announced = (name: string): string[] => [known[name] ?? []].flat();

  beforeAll(async () => {
    passport = await startPassport();
    tenant = await newTenant(passport, 'Profile');
    clientId = await register(tenant, { _authorizedGrantTypes: 'authorization_code,refresh_token', _responseMode: 'query' });
    secret = await secretOf(tenant.owner, clientId);
    known = (await (await fetch(`${passport.baseUrl}/passportsvc/.well-known/openid-configuration`)).json()) as typeof known;
  });
  afterAll(() => passport?.stop());

  const given = (parameters: Parameters) => Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const basic = () => `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
  const urlFor = (verifier: string, changes: Parameters = {}) =>
    `${known['authorization_endpoint']}?${new URLSearchParams(given({
      response_type: 'code', client_id: clientId, redirect_uri: RP_CALLBACK, scope: 'openid', state: 'st', nonce: 'nonce-1', code_challenge: challengeOf(verifier), code_challenge_method: 'S256', ...changes,
    }))}`;
  const token = async (form: Parameters, headers: Record<string, string> = { authorization: basic() }) => {
    const response = await fetch(String(known['token_endpoint']), { method: 'POST', headers, body: new URLSearchParams(given({ redirect_uri: RP_CALLBACK, ...form })) });
    return { status: response.status, headers: response.headers, ...((await response.json()) as TokenAnswer) };
  };
  const ask = async (changes: Parameters = {}, person = Person.of(passport)) => {
    const verifier = newVerifier();
    const { searchParams } = await person.visit(urlFor(verifier, changes));
    return { ...(Object.fromEntries(searchParams) as { code: string; state?: string; error?: string; iss: string }), verifier, person };
  };
  const signIn = async (changes: Parameters = {}, person?: Person) => {
    const { code, verifier } = await ask(changes, person);
    return token({ grant_type: 'authorization_code', code, code_verifier: verifier });
  };
  const idTokenOf = async (answer: TokenAnswer) => (await jwtVerify(answer.id_token, createRemoteJWKSet(new URL(String(known['jwks_uri'])), { timeoutDuration: 60_000 }), { issuer: String(known['issuer']), audience: clientId })).payload;
  const userinfo = async (accessToken: string, method = 'GET') => {
    const response = await fetch(String(known['userinfo_endpoint']), { method, headers: { authorization: `Bearer ${accessToken}` } });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('oidcc-server: code, ID token with a valid signature, iss, aud, exp, iat, nonce, at_hash if any, and userinfo of the same subject', async () => {
    const { code, state, iss, verifier } = await ask();
    expect({ state, iss }).toEqual({ state: 'st', iss: known['issuer'] });
    const answer = await token({ grant_type: 'authorization_code', code, code_verifier: verifier });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const claims = await idTokenOf(answer);
    expect(claims).toMatchObject({ nonce: 'nonce-1', sub: expect.stringMatching(/^[\x21-\x7e]{1,255}$/), exp: expect.any(Number), iat: expect.any(Number) });
    expect((claims.exp as number) > Date.now() / 1_000).toBe(true);
    expect((await userinfo(answer.access_token)).body['sub']).toBe(claims.sub);
  });

  it('oidcc-idtoken-signature, oidcc-idtoken-kid-absent-if-single-jwks: the ID token names a key that is published', async () => {
    const answer = await signIn();
    const { keys } = (await (await fetch(String(known['jwks_uri']))).json()) as { keys: { kid: string; use: string; d?: string }[] };
    const { alg, kid } = decodeProtectedHeader(answer.id_token);
    expect([alg, keys.map((key) => key.kid).includes(String(kid)), keys.every(({ use, d }) => use === 'sig' && d === undefined)]).toEqual(['ES256', true, true]);
  });

  it('oidcc-response-type-missing: is told, or sees a page', async () => {
    const { error } = await ask({ response_type: undefined });
    expect(error).toBe('invalid_request');
  });

  it('oidcc-userinfo-get, oidcc-userinfo-post-header: the same by both', async () => {
    const { access_token: accessToken } = await signIn({ scope: 'openid email' });
    const [byGet, byPost] = [await userinfo(accessToken), await userinfo(accessToken, 'POST')];
    expect(byGet).toEqual(byPost);
    expect(byGet).toMatchObject({ status: 200, body: { email: ADMIN.email } });
  });

  it.each([
    ['profile', ['name', 'given_name', 'family_name']],
    ['email', ['email', 'email_verified']],
    ['address', []],
    ['phone', []],
    ['profile email address phone', ['name', 'given_name', 'family_name', 'email', 'email_verified']],
  ])('oidcc-scope: %s opens its claims and no others', async (scope, claims) => {
    const answer = await signIn({ scope: `openid ${scope}` });
    const { body } = await userinfo(answer.access_token);
    expect(Object.keys(body).filter((claim) => claim !== 'locale').sort()).toEqual(['sub', ...claims].sort());
    expect(Object.keys(decodeJwt(answer.id_token)).filter((claim) => !announced('claims_supported').includes(claim) && !['aud', 'exp', 'iat', 'nonce', 'at_hash'].includes(claim))).toEqual([]);
  });

  it('oidcc-ensure-other-scope-order-succeeds', async () => {
    expect(await signIn({ scope: 'email openid' })).toMatchObject({ status: 200, id_token: expect.any(String) });
  });

  it.each<[string, Parameters]>([
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
    ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
    ['oidcc-login-hint', { login_hint: ADMIN.email }],
    ['oidcc-claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
    ['oidcc-ensure-request-without-nonce-succeeds-for-code-flow', { nonce: undefined }],
    ['oidcc-ensure-request-with-valid-pkce-succeeds', {}],
  ])('%s', async (_name, changes) => {
    const answer = await signIn(changes);
    expect(answer.status).toBe(200);
    expect((await idTokenOf(answer))['nonce']).toBe('nonce' in changes ? undefined : 'nonce-1');
  });

  it('oidcc-prompt-login: asks again, and says so by auth_time', async () => {
    const person = Person.of(passport);
    const first = await idTokenOf(await signIn({ max_age: '100' }, person));
    const second = await idTokenOf(await signIn({ prompt: 'login' }, person));
    expect(person.asked.filter((what) => what === 'sign-in')).toHaveLength(2);
    expect(Number(second['auth_time'])).toBeGreaterThanOrEqual(Number(first['auth_time']));
    expect(second.sub).toBe(first.sub);
  });

  it('oidcc-prompt-none-not-logged-in, oidcc-prompt-none-logged-in, oidcc-id-token-hint', async () => {
    const person = Person.of(passport);
    expect(await ask({ prompt: 'none' }, person)).toMatchObject({ error: 'login_required', state: 'st' });
    const first = await signIn({ max_age: '1000' }, person);
    const before = person.asked.length;
    const silent = await idTokenOf(await signIn({ prompt: 'none', max_age: '1000' }, person));
    const hinted = await idTokenOf(await signIn({ prompt: 'none', max_age: '1000', id_token_hint: first.id_token }, person));
    const { sub, auth_time: at } = await idTokenOf(first);
    expect([silent.sub, silent['auth_time'], hinted.sub, hinted['auth_time'], person.asked.length]).toEqual([sub, at, sub, at, before]);
  });

  it('oidcc-max-age-10000, and max_age=0 in place of oidcc-max-age-1, which waits: asks again when the sign-in is older', async () => {
    const person = Person.of(passport);
    const first = await idTokenOf(await signIn({ max_age: '10000' }, person));
    const kept = await idTokenOf(await signIn({ max_age: '10000' }, person));
    expect(kept['auth_time']).toBe(first['auth_time']);
    const anew = await idTokenOf(await signIn({ max_age: '0' }, person));
    expect(person.asked.filter((what) => what === 'sign-in')).toHaveLength(2);
    expect(Number(anew['auth_time'])).toBeGreaterThanOrEqual(Number(first['auth_time']));
  });

  it('oidcc-codereuse: the second use is refused and ends the token of the first', async () => {
    const { code, verifier } = await ask();
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const first = await token(form);
    expect((await userinfo(first.access_token)).status).toBe(200);
    expect(await token(form)).toMatchObject({ status: 403, error: 'invalid_grant' });
    expect((await userinfo(first.access_token)).status).toBe(401);
  });

  it('oidcc-ensure-registered-redirect-uri, oidcc-redirect-uri-query-mismatch: another address is a page, not a redirect', async () => {
    for (const redirectUri of ['https://rp.example.com/other', `${RP_CALLBACK}?foo=bar`, 'https://evil.example/callback']) {
      const answer = await fetch(urlFor(newVerifier(), { redirect_uri: redirectUri }), { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    }
  });

  it('oidcc-ensure-post-request-succeeds', async () => {
    const verifier = newVerifier();
    const [address, query] = urlFor(verifier).split('?') as [string, string];
    const person = Person.of(passport);
    const begun = await person.browser.submit(address, Object.fromEntries(new URLSearchParams(query)));
    const { searchParams } = await person.visit(begun.location as URL);
    expect(await token({ grant_type: 'authorization_code', code: searchParams.get('code') ?? '', code_verifier: verifier })).toMatchObject({ status: 200 });
  });

  it('oidcc-server-client-secret-post', async () => {
    const { code, verifier } = await ask();
    expect(await token({ grant_type: 'authorization_code', code, code_verifier: verifier, client_id: clientId, client_secret: secret }, {})).toMatchObject({ status: 200 });
  });

  it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported, oidcc-request-uri-unsigned', async () => {
    expect(await ask({ request: 'eyJhbGciOiJub25lIn0.e30.' })).toMatchObject({ error: 'request_not_supported' });
    expect(await ask({ request_uri: 'https://rp.example.com/request.jwt' })).toMatchObject({ error: 'request_uri_not_supported' });
  });

  it('oidcc-refresh-token: the same subject, issuer, audience and auth_time; and a code of another client is refused', async () => {
    const first = await signIn({ max_age: '1000' });
    const second = await token({ grant_type: 'refresh_token', refresh_token: first.refresh_token });
    const [before, after] = [await idTokenOf(first), await idTokenOf(second)];
    expect({ sub: after.sub, iss: after.iss, aud: after.aud, at: after['auth_time'] }).toEqual({ sub: before.sub, iss: before.iss, aud: before.aud, at: before['auth_time'] });
    expect(Number(after.iat)).toBeGreaterThanOrEqual(Number(before.iat));
    const stolen = await token({ grant_type: 'refresh_token', refresh_token: second.refresh_token, client_id: 'console' }, {});
    expect(stolen).toMatchObject({ status: 403 });
  });

  it('oidcc-discovery-endpoint-verification: what the profile wants to find', () => {
    expect(known).toMatchObject({ issuer: `${passport.baseUrl}/passportsvc`, subject_types_supported: ['public'], response_types_supported: expect.arrayContaining(['code']), scopes_supported: expect.arrayContaining(['openid']) });
    for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']) expect(String(known[name])).toMatch(/^http/);
  });
});
