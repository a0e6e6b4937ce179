import * as client from 'openid-client';
import { ADMIN, BOOTSTRAP_CLIENT, type PassportApp, REDIRECT_URI, startPassport } from './passport-app';
import { Person, register, RP_CALLBACK, secretOf } from './relying-party';
import { ageRefreshTokens } from './sign-in';
import { newTenant, send, type Tenant } from './tenancy';

const SCOPE = 'openid profile email read write';

describe('openid-client', () => {
  let passport: PassportApp;
  let tenant: Tenant;
  let appId: string;
  let secret: string;
  /** The application as a server that has a secret. */
  let server: client.Configuration;
  /** The console as a page in a browser that has none. */
  let page: client.Configuration;

  beforeAll(async () => {
    passport = await startPassport();
    tenant = await newTenant(passport, 'Relying');
    appId = await register(tenant, { _authorizedGrantTypes: 'authorization_code,refresh_token,client_credentials', _responseMode: 'query' });
    secret = await secretOf(tenant.owner, appId);
    [server, page] = [await discovered(appId, client.ClientSecretBasic(secret)), await discovered('console', client.None())];
  });
  afterAll(() => passport?.stop());

  const discovered = (id: string, authentication: client.ClientAuth) =>
    client.discovery(new URL(`${passport.baseUrl}/passportsvc`), id, undefined, authentication, { execute: [client.allowInsecureRequests] });

  interface Walk {
    readonly callback: URL;
    readonly checks: client.AuthorizationCodeGrantChecks;
    readonly person: Person;
  }
  const walk = async (config: client.Configuration, parameters: Record<string, string> = {}, person = Person.of(passport)): Promise<Walk> => {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: config === page ? REDIRECT_URI : RP_CALLBACK, scope: SCOPE, state: expectedState, nonce: expectedNonce,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256', ...parameters,
    });
    const callback = await person.visit(url);
    callback.hash = ''; // what a server sees of it
    return { callback, checks: { pkceCodeVerifier, expectedState, expectedNonce }, person };
  };
  const grant = async (config: client.Configuration, parameters: Record<string, string> = {}, person?: Person) => {
    const { callback, checks } = await walk(config, parameters, person);
    return client.authorizationCodeGrant(config, callback, checks);
  };
  const whoAmI = (token: string) => send(passport, 'GET', '/users/me', token);

  it('discovers the provider by OpenID Connect and by OAuth 2.0', async () => {
    const oauth = await client.discovery(new URL(`${passport.baseUrl}/passportsvc/.well-known/oauth-authorization-server`), appId, undefined, client.ClientSecretBasic(secret), { execute: [client.allowInsecureRequests] });
    expect(oauth.serverMetadata()).toEqual(server.serverMetadata());
    expect(server.serverMetadata().supportsPKCE()).toBe(true);
  });

  it('signs somebody in by code with PKCE, and knows who it is', async () => {
    const tokens = await grant(page);
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: SCOPE, expires_in: 3600 });
    const claims = tokens.claims();
    expect(claims).toMatchObject({ iss: `${passport.baseUrl}/passportsvc`, aud: 'console', email: ADMIN.email, email_verified: true, name: 'Platform Manager' });
    expect(await client.fetchUserInfo(page, tokens.access_token, String(claims?.sub))).toMatchObject({ sub: claims?.sub, email: ADMIN.email, given_name: 'Platform', family_name: 'Manager' });
    await expect(client.fetchUserInfo(page, tokens.access_token, 'somebody-else')).rejects.toThrow();
    expect((await whoAmI(tokens.access_token)).body).toMatchObject({ _id: claims?.sub });
  });

  it('asks for consent once in a session, and again for more', async () => {
    const person = Person.of(passport);
    await grant(server, { scope: 'openid read' }, person);
    await grant(server, { scope: 'openid read' }, person);
    expect(person.asked).toEqual(['sign-in', 'consent']);
    await grant(server, { scope: 'openid read write' }, person);
    expect(person.asked).toEqual(['sign-in', 'consent', 'consent']);
    await grant(server, { scope: 'openid read', prompt: 'consent' }, person);
    expect(person.asked).toEqual(['sign-in', 'consent', 'consent', 'consent']);
  });

  it('is told when somebody does not agree', async () => {
    const { callback, checks } = await walk(server, {}, Person.of(passport, ADMIN, 'deny'));
    await expect(client.authorizationCodeGrant(server, callback, checks)).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('refreshes, also when an answer was lost, and ends the family by a refresh token that is shown later', async () => {
    const first = await grant(server);
    const second = await client.refreshTokenGrant(server, first.refresh_token as string);
    expect(second.claims()?.sub).toBe(first.claims()?.sub);
    expect((await whoAmI(second.access_token)).status).toBe(200);
    expect((await client.refreshTokenGrant(server, first.refresh_token as string)).refresh_token).toBe(second.refresh_token);
    await ageRefreshTokens(passport.app, 11);
    await expect(client.refreshTokenGrant(server, first.refresh_token as string)).rejects.toMatchObject({ error: 'invalid_grant', status: 403 });
    expect((await whoAmI(second.access_token)).status).toBe(401);
    await expect(client.refreshTokenGrant(server, second.refresh_token as string)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('signs somebody out by the address that discovery names, and is told so at its own', async () => {
    const after = 'https://rp.example.com/signed-out';
    await tenant.owner.put(`/apps/${appId}`, { _postLogoutRedirectUris: after });
    const person = Person.of(passport);
    const tokens = await grant(server, {}, person);
    const url = client.buildEndSessionUrl(server, { id_token_hint: String(tokens.id_token), post_logout_redirect_uri: after, state: 'back' });
    expect((await person.visit(url)).href).toBe(`${after}?state=back`);
    expect((await whoAmI(tokens.access_token)).status).toBe(401);
    await expect(client.refreshTokenGrant(server, tokens.refresh_token as string)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('introspects and revokes', async () => {
    const tokens = await grant(server);
    expect(await client.tokenIntrospection(server, tokens.access_token)).toMatchObject({ active: true, client_id: appId, sub: tokens.claims()?.sub, scope: SCOPE });
    expect(await client.tokenIntrospection(server, tokens.refresh_token as string)).toMatchObject({ active: true, client_id: appId });
    await client.tokenRevocation(server, tokens.refresh_token as string);
    for (const token of [tokens.access_token, tokens.refresh_token as string]) expect(await client.tokenIntrospection(server, token)).toEqual({ active: false });
    expect((await whoAmI(tokens.access_token)).status).toBe(401);
    await expect(client.tokenIntrospection(page, tokens.access_token)).rejects.toMatchObject({ status: 401 });
  });

  it('acts as itself with client credentials, with the secret in the header and in the form', async () => {
    const robot = await discovered(BOOTSTRAP_CLIENT.id, client.ClientSecretPost(BOOTSTRAP_CLIENT.secret));
    for (const [config, id] of [[server, appId], [robot, BOOTSTRAP_CLIENT.id]] as const) {
      const tokens = await client.clientCredentialsGrant(config, { scope: 'read' });
      expect((await send(passport, 'GET', '/principalinfo', tokens.access_token)).body).toEqual({ _type: 'client', _clientid: id, _scopes: ['read'] });
      expect(tokens.refresh_token).toBeUndefined();
    }
    await expect(client.clientCredentialsGrant(await discovered(appId, client.ClientSecretBasic('wrong')))).rejects.toMatchObject({ error: 'invalid_client', status: 403 });
  });

  it('takes a code of v1 without PKCE as a confidential client', async () => {
    const { issuer, jwks_uri: keys = '' } = server.serverMetadata();
    const v1Of = (name: string) => `${issuer}/api/v1/oauth/${name}`;
    const metadata = { issuer, jwks_uri: keys, authorization_endpoint: v1Of('authorize'), token_endpoint: v1Of('token'), id_token_signing_alg_values_supported: ['ES256'] };
    const v1 = new client.Configuration(metadata, appId, { id_token_signed_response_alg: 'ES256' }, client.ClientSecretBasic(secret));
    client.allowInsecureRequests(v1);
    const expectedState = client.randomState();
    const callback = await Person.of(passport).visit(client.buildAuthorizationUrl(v1, { redirect_uri: RP_CALLBACK, scope: 'openid', state: expectedState }));
    expect((await client.authorizationCodeGrant(v1, callback, { expectedState })).claims()?.sub).toEqual(expect.any(String));
  });

  it('finds out about another state, nonce, issuer and verifier', async () => {
    const attempt = async (change: (walk: Walk) => void) => {
      const walked = await walk(server);
      const checks = { ...walked.checks };
      change({ ...walked, checks });
      return client.authorizationCodeGrant(server, walked.callback, checks);
    };
    await expect(attempt(({ callback }) => callback.searchParams.set('state', 'other'))).rejects.toThrow();
    await expect(attempt(({ callback }) => callback.searchParams.set('iss', 'https://evil.example'))).rejects.toThrow();
    await expect(attempt(({ callback }) => callback.searchParams.delete('iss'))).rejects.toThrow(); // RFC 9207: announced, so it must be there
    await expect(attempt(({ checks }) => Object.assign(checks, { expectedNonce: 'other' }))).rejects.toThrow();
    await expect(attempt(({ checks }) => Object.assign(checks, { pkceCodeVerifier: client.randomPKCECodeVerifier() }))).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(attempt(() => undefined)).resolves.toMatchObject({ token_type: 'bearer' });
  });

  it('signs in silently while there is a session, and is told when there is none', async () => {
    const person = Person.of(passport);
    const told = await walk(server, { prompt: 'none' }, person);
    await expect(client.authorizationCodeGrant(server, told.callback, told.checks)).rejects.toMatchObject({ error: 'login_required' });
    const tokens = await grant(server, {}, person);
    expect((await grant(server, { prompt: 'none' }, person)).claims()?.sub).toBe(tokens.claims()?.sub);
    expect((await grant(server, { prompt: 'none', id_token_hint: String(tokens.id_token) }, person)).claims()?.sub).toBe(tokens.claims()?.sub);
    expect(person.asked).toEqual(['sign-in', 'consent']);
    await send(passport, 'GET', '/logout', tokens.access_token);
    const after = await walk(server, { prompt: 'none' }, person);
    await expect(client.authorizationCodeGrant(server, after.callback, after.checks)).rejects.toMatchObject({ error: 'login_required' });
  });

  it('is told when the user that it hints at is not the one who is there', async () => {
    const other = { email: tenant.owner.email, password: 'a long enough one' };
    const theirs = await grant(server, {}, Person.of(passport, other));
    const person = Person.of(passport);
    await grant(server, {}, person);
    const told = await walk(server, { prompt: 'none', id_token_hint: String(theirs.id_token) }, person);
    await expect(client.authorizationCodeGrant(server, told.callback, told.checks)).rejects.toMatchObject({ error: 'login_required' });
  });

  it('asks for the password again with prompt=login and with a short max_age, and says when that was', async () => {
    const person = Person.of(passport);
    const first = await grant(page, {}, person);
    const again = await grant(page, { prompt: 'login' }, person);
    expect(person.asked).toEqual(['sign-in', 'sign-in']);
    expect(again.claims()?.auth_time).toBeGreaterThanOrEqual(first.claims()?.iat as number);
    const { callback, checks } = await walk(page, { max_age: '0' }, person);
    const zero = await client.authorizationCodeGrant(page, callback, { ...checks, maxAge: 60 });
    expect([person.asked.length, typeof zero.claims()?.auth_time]).toEqual([3, 'number']);
    const long = await walk(page, { max_age: '10000' }, person);
    expect((await client.authorizationCodeGrant(page, long.callback, { ...long.checks, maxAge: 10_000 })).claims()?.auth_time).toEqual(expect.any(Number));
    expect(person.asked).toHaveLength(3);
  });

  it('shows whom it hints at on the sign-in page', async () => {
    const url = client.buildAuthorizationUrl(page, { redirect_uri: REDIRECT_URI, scope: 'openid', login_hint: 'hinted@example.com', code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()), code_challenge_method: 'S256' });
    const person = Person.of(passport);
    const shown = await person.browser.get((await person.browser.get(url)).location as URL);
    expect(shown.text).toContain('value="hinted@example.com"');
  });

  it('is out with every token when the user logs out', async () => {
    const person = Person.of(passport);
    const [one, two] = [await grant(server, {}, person), await grant(page, {}, person)];
    expect((await send(passport, 'GET', '/logout', two.access_token)).status).toBe(204);
    expect(await client.tokenIntrospection(server, one.access_token)).toEqual({ active: false });
    await expect(client.fetchUserInfo(server, one.access_token, String(one.claims()?.sub))).rejects.toThrow();
    await expect(client.refreshTokenGrant(server, one.refresh_token as string)).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});
