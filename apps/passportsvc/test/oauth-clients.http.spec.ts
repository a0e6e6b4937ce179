import { newUuid } from '@twinyard/conventions';
import { DataSource } from 'typeorm';
import { CLIENT_SCOPES } from '../src/clients/client.dto';
import { GrantFeedRepository } from '../src/grant-feed/grant-feed.repository';
import { USER_SCOPES } from '../src/oauth/oidc-clients';
import { OidcStateRepository } from '../src/oauth/oidc-state.repository';
import { registerApp } from './applications';
import { Browser, newVerifier } from './browser';
import { BOOTSTRAP_CLIENT, type PassportApp, startPassport } from './passport-app';
import { authorizeUrl, exchange, type Parameters, signInAt, TOKEN, type Tokens, tokensOf } from './sign-in';
import { API, type Caller, grant, manager, newPerson, newTenant, send, type Tenant } from './tenancy';

const V1_TOKEN = `${API}/oauth/token`;
const REDIRECT = 'https://app.house.example/callback';
const ORIGIN = 'https://pages.house.example';

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

interface Scopes {
  readonly scopes: Readonly<Record<string, string>>;
}

interface Reference {
  readonly components: { readonly securitySchemes: { readonly oauth2: { readonly flows: { readonly authorizationCode: Scopes; readonly clientCredentials: Scopes } } } };
}

describe('OAuth clients', () => {
  let passport: PassportApp;
  let boss: Caller;
  let house: Tenant;
  let garden: Tenant;
  /** An application of the house that runs on a server. */
  let server: Client;

  beforeAll(async () => {
    passport = await startPassport();
    boss = await manager(passport);
    [house, garden] = await Promise.all([newTenant(passport, 'House'), newTenant(passport, 'Garden')]);
    await house.owner.put(`/apps/${house.app._id}`, { _redirectUris: REDIRECT, _authorizedOrigins: ORIGIN, _authorizedGrantTypes: 'authorization_code,refresh_token,client_credentials' });
    server = (await house.owner.post(`/apps/${house.app._id}/secret`)).body as Client;
  });
  afterAll(() => passport?.stop());

  const basic = (id: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}` });
  const ask = async (path: string, form: Parameters, headers: Record<string, string> = {}) => {
    const response = await exchange(passport.baseUrl, form, path, headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === '' ? {} : JSON.parse(text)) as Tokens & { active?: boolean } };
  };
  const newClient = async (fields: object) => (await boss.post('/clients', { _name: 'Sync', _scopes: ['read'], ...fields })).body as Client;
  const ownToken = async (client: Client) => (await ask(V1_TOKEN, { grant_type: 'client_credentials' }, basic(client.client_id, client.client_secret))).body.access_token;
  const signedInAt = async (client: Client): Promise<Tokens> => {
    const verifier = newVerifier();
    const toConsent = await signInAt(new Browser(passport.baseUrl), authorizeUrl(verifier, { client_id: client.client_id, redirect_uri: REDIRECT }));
    const code = toConsent.location?.searchParams.get('code') ?? '';
    return (await ask(TOKEN, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier }, basic(client.client_id, client.client_secret))).body;
  };
  const trust = async () => passport.app.get(DataSource).query('UPDATE app SET first_party = true WHERE id = $1', [house.app._id]);

  describe('have a secret', () => {
    it('that an application is told once, that no answer shows again, and that ends with the next one', async () => {
      const one = (await garden.owner.post(`/apps/${garden.app._id}/secret`)).body as Client;
      expect(one).toEqual({ client_id: garden.app._id, client_secret: expect.stringMatching(/^[\w-]{43}$/) });
      await garden.owner.put(`/apps/${garden.app._id}`, { _authorizedGrantTypes: 'client_credentials' });
      const token = await ownToken(one);
      expect((await send(passport, 'GET', '/principalinfo', token)).body).toEqual({ _type: 'client', _clientid: garden.app._id, _scopes: expect.arrayContaining(['read']) });
      const changes = passport.app.get(GrantFeedRepository, { strict: false });
      const before = await changes.currentSeq();
      const two = (await garden.owner.post(`/apps/${garden.app._id}/secret`)).body as Client;
      // By this every service drops what it has cached of the client.
      expect((await changes.changesAfter(before)).keys).toContain(`client:${garden.app._id}`);
      expect((await ask(V1_TOKEN, { grant_type: 'client_credentials' }, basic(one.client_id, one.client_secret))).body.error).toBe('invalid_client');
      expect((await send(passport, 'GET', '/principalinfo', token)).status).toBe(401);
      const seen = [await garden.owner.get(`/apps/${garden.app._id}?withConfigs=true`), await garden.owner.get('/apps'), await garden.owner.put(`/apps/${garden.app._id}`, {}), await boss.get('/clients'), await boss.get('/audit?_pageSize=1000')];
      const stored = await passport.app.get(DataSource).query<{ hash: string }[]>(`SELECT client_secret_hash AS hash FROM app WHERE id = $1`, [garden.app._id]);
      for (const secret of [one.client_secret, two.client_secret, stored[0]?.hash ?? '-', BOOTSTRAP_CLIENT.secret]) expect(JSON.stringify(seen)).not.toContain(secret);
      expect(JSON.stringify(stored)).not.toContain(two.client_secret);
      expect((await garden.owner.delete(`/apps/${garden.app._id}/secret`)).status).toBe(204);
      expect((await ask(V1_TOKEN, { grant_type: 'client_credentials' }, basic(two.client_id, two.client_secret))).status).toBe(403);
    });

    it('and with the application goes what it got as itself, in every service', async () => {
      const { _id: id } = (await house.owner.post('/apps', { _name: 'Short-lived', _orgId: house.organization._id, _authorizedGrantTypes: 'client_credentials' })).body as { _id: string };
      const token = await ownToken((await house.owner.post(`/apps/${id}/secret`)).body as Client);
      expect((await send(passport, 'GET', '/principalinfo', token)).status).toBe(200);
      const changes = passport.app.get(GrantFeedRepository, { strict: false });
      const before = await changes.currentSeq();
      expect((await house.owner.delete(`/apps/${id}`)).status).toBe(204);
      expect((await changes.changesAfter(before)).keys).toContain(`client:${id}`);
      expect((await send(passport, 'GET', '/principalinfo', token)).status).toBe(401);
    });

    it('that only who may edit the application makes, and nobody for the console', async () => {
      const path = `/apps/${house.app._id}/secret`;
      expect([(await send(passport, 'POST', path)).status, (await garden.owner.post(path)).status, (await garden.owner.delete(path)).status, (await (await house.owner.in('console', ['read'])).post(path)).status]).toEqual([401, 404, 404, 403]);
      expect((await house.owner.post(`/apps/${newUuid()}/secret`)).status).toBe(404);
      const reader = await newPerson(passport, 'Reader');
      await grant(house.owner, { _type: 'user', _id: reader.id }, house.app._namespaces[0] as string, 'passportsvc:app:*', ['READ']);
      expect([(await reader.get(`/apps/${house.app._id}`)).status, (await reader.post(path)).status, (await reader.delete(path)).status]).toEqual([200, 403, 403]);
      expect((await boss.post('/apps/console/secret')).status).toBeGreaterThanOrEqual(403);
    });

    it.each<[string, () => [Parameters, Record<string, string>]]>([
      ['nothing', () => [{}, {}]],
      ['its id alone', () => [{ client_id: server.client_id }, {}]],
      ['a wrong secret', () => [{}, basic(server.client_id, 'wrong')]],
      ['an empty secret', () => [{}, basic(server.client_id, '')]],
      ['somebody else\'s secret', () => [{}, basic(server.client_id, BOOTSTRAP_CLIENT.secret)]],
      ['the stored hash', () => [{}, basic(server.client_id, String(hash))]],
      ['two secrets', () => [{ client_secret: server.client_secret }, basic(server.client_id, server.client_secret)]],
      ['two ids', () => [{ client_id: 'console' }, basic(server.client_id, server.client_secret)]],
      ['a bearer token', () => [{ client_id: server.client_id }, { authorization: 'Bearer x.y.z' }]],
      ['an assertion', () => [{ client_id: server.client_id, client_assertion: 'x.y.z', client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' }, {}]],
    ])('and get no token, and learn nothing of one, with %s', async (_name, show) => {
      hash = (await passport.app.get(DataSource).query<{ hash: string }[]>('SELECT client_secret_hash AS hash FROM app WHERE id = $1', [server.client_id]))[0]?.hash;
      const [form, headers] = show();
      for (const path of [TOKEN, V1_TOKEN]) {
        const refused = await ask(path, { grant_type: 'client_credentials', ...form }, headers);
        expect([refused.status, ['invalid_client', 'invalid_request'].includes(String(refused.body.error))]).toEqual([403, true]);
      }
      const token = await ownToken(server);
      expect((await ask(`${API}/oauth/introspect`, { token, ...form }, headers)).status).toBe(401);
      await ask(`${API}/oauth/revoke`, { token, ...form }, headers);
      expect((await send(passport, 'GET', '/principalinfo', token)).status).toBe(200);
    });
    let hash: string | undefined;

    it.each(['a+b/c==d+e f', '100% of them', 'a%41b%2Bc', ':x:%zz ', '%', '+', 'plain-and_long.enough~'])('and show it as it stands or form-encoded, at every endpoint: %j', async (secret) => {
      const app = await registerApp(passport, { secret, authorizedGrantTypes: ['client_credentials'] });
      const raw = (shown: string) => ({ authorization: `Basic ${Buffer.from(`${app.id}:${shown}`).toString('base64')}` });
      const [, plus = ''] = String(new URLSearchParams({ secret })).split('=');
      for (const headers of [raw(secret), basic(app.id, secret), raw(plus)]) {
        for (const path of [TOKEN, V1_TOKEN]) expect((await ask(path, { grant_type: 'client_credentials' }, headers)).status).toBe(200);
        const { access_token: token } = (await ask(TOKEN, { grant_type: 'client_credentials', client_id: app.id }, headers)).body;
        expect((await ask(`${API}/oauth/introspect`, { token }, headers)).body.active).toBe(true);
        await ask(`${API}/oauth/revoke`, { token }, headers);
        expect((await send(passport, 'GET', '/principalinfo', token)).status).toBe(401);
      }
      expect((await ask(TOKEN, { grant_type: 'client_credentials', client_id: app.id, client_secret: secret }, {})).status).toBe(200);
      for (const headers of [raw(`${secret}x`), raw(encodeURIComponent(encodeURIComponent(`${secret}%`)))]) {
        expect((await ask(TOKEN, { grant_type: 'client_credentials' }, headers)).body.error).toBe('invalid_client');
        expect((await ask(`${API}/oauth/introspect`, { token: 'x' }, headers)).status).toBe(401);
      }
    });
  });

  it('are no users: their tokens say so, act under their scopes, and are exchanged for nothing', async () => {
    const client = await newClient({ _scopes: ['scim'] });
    const token = await ownToken(client);
    expect((await send(passport, 'GET', '/principalinfo', token)).body).toEqual({ _type: 'client', _clientid: client.client_id, _scopes: ['scim'] });
    for (const [method, path] of [['GET', '/apps'], ['GET', '/users/me'], ['POST', '/auth/token?appId=console'], ['POST', '/users/me/accesskeys']] as const) expect([path, (await send(passport, method, path, token, method === 'POST' ? { _name: 'x' } : undefined)).status]).toEqual([path, 403]);
    const writer = await ownToken(await newClient({ _scopes: ['read', 'write'] }));
    const toPeople = [await send(passport, 'GET', '/users/me', writer), await send(passport, 'POST', '/auth/token?appId=console', writer), await send(passport, 'POST', '/users/me/accesskeys', writer, { _name: 'x' })];
    for (const { status, body } of toPeople) expect([status, body.message]).toEqual([403, expect.stringMatching(/belongs to no user: sign in as a person, or exchange an access key/)]);
  });

  it('hear in one sentence what they lack, where nobody has granted them anything yet', async () => {
    const token = await ownToken(await newClient({ _scopes: ['read', 'write'] }));
    const [namespace = ''] = house.organization._namespaces;
    expect(await send(passport, 'POST', `/secrets?nsfilter=${namespace}`, token, [{ _name: 'weather', _value: 'x', _namespaces: [namespace] }])).toMatchObject({
      status: 403, body: { message: `You do not have the permission for this: you hold none in any namespace yet, and an owner there has to grant you CREATE on passportsvc:secret:* in ${namespace} first` },
    });
  });

  describe('introspect', () => {
    const introspect = async (client: Client, token: string | undefined) => (await ask(`${API}/oauth/introspect`, { token }, basic(client.client_id, client.client_secret))).body.active;

    it('their own tokens; those of an organization its applications\', those of the platform all; and nobody else\'s', async () => {
      await trust();
      const [ofPlatform, ofHouse, ofGarden] = [await newClient({}), await newClient({ _orgId: house.organization._id }), await newClient({ _orgId: garden.organization._id })];
      const { access_token: user } = await signedInAt(server);
      const { access_token: console } = await tokensOf(passport.baseUrl);
      const own = await ownToken(ofGarden);
      const seenBy = async (client: Client) => Promise.all([user, console, own].map((token) => introspect(client, token)));
      expect({ platform: await seenBy(ofPlatform), house: await seenBy(ofHouse), garden: await seenBy(ofGarden), server: await seenBy(server) }).toEqual({
        platform: [true, true, true], house: [true, false, false], garden: [false, false, true], server: [true, false, false],
      });
    });

    it('refresh tokens of their own, until they are used or their session ends', async () => {
      await trust();
      const other = await newClient({});
      const tokens = await signedInAt(server);
      expect([await introspect(server, tokens.refresh_token), await introspect(other, tokens.refresh_token)]).toEqual([true, false]);
      const next = (await ask(TOKEN, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, basic(server.client_id, server.client_secret))).body;
      expect([await introspect(server, tokens.refresh_token), await introspect(server, next.refresh_token)]).toEqual([false, true]);
      const state = passport.app.get(OidcStateRepository, { strict: false });
      const raced = await state.find('RefreshToken', next.refresh_token ?? '');
      await send(passport, 'GET', '/logout', next.access_token);
      expect([await introspect(server, next.refresh_token), await introspect(server, next.access_token)]).toEqual([false, false]);
      // What a request that had begun before the logout writes after it.
      await state.upsert('RefreshToken', next.refresh_token ?? '', raced ?? {}, 3_600);
      expect(await introspect(server, next.refresh_token)).toBe(false);
    });

    it('nothing that is no token, and say so when there is none', async () => {
      for (const token of ['x', 'x.y.z', '', ' ']) expect(await introspect(server, token)).toBe(false);
      const none = await ask(`${API}/oauth/introspect`, {}, basic(server.client_id, server.client_secret));
      expect([none.status, none.body.error, none.headers.get('cache-control')]).toEqual([400, 'invalid_request', 'no-store']);
    });
  });

  it('revoke tokens of their own, by either of the pair, and nobody else\'s', async () => {
    await trust();
    const other = await newClient({});
    const revoke = async (client: Client, token: string | undefined) => (await ask(`${API}/oauth/revoke`, { token }, basic(client.client_id, client.client_secret))).status;
    const [one, two] = [await signedInAt(server), await signedInAt(server)];
    const statuses = async () => Promise.all([one, two].map(async ({ access_token: token }) => (await send(passport, 'GET', '/users/me', token)).status));
    expect([await revoke(other, one.access_token), await revoke(other, one.refresh_token), await statuses()]).toEqual([200, 200, [200, 200]]);
    expect([await revoke(server, one.refresh_token), await statuses()]).toEqual([200, [401, 200]]);
    expect([await revoke(server, two.access_token), await statuses()]).toEqual([200, [401, 401]]);
    expect((await ask(TOKEN, { grant_type: 'refresh_token', refresh_token: two.refresh_token }, basic(server.client_id, server.client_secret))).status).toBe(403);
    expect([await revoke(server, 'unknown'), await revoke(server, undefined)]).toEqual([200, 400]);
  });

  describe('in a browser', () => {
    const PATHS = ['/api/v1/oauth/token', '/api/v2/oauth/token', '/api/v1/oauth/userinfo', '/api/v1/oauth/revoke', '/api/v1/oauth/introspect', '/api/v1/oauth/jwks', '/.well-known/openid-configuration', '/api/v1/principalinfo', '/api/v1/logout', '/api/v1/auth/token'];
    const allowed = (response: Response) => response.headers.get('access-control-allow-origin');
    const preflight = (path: string, origin: string) =>
      fetch(`${passport.baseUrl}/passportsvc${path}`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' } });

    it.each(PATHS)('are let at %s from origins that an application registers, and from no others', async (path) => {
      for (const origin of [ORIGIN, new URL(REDIRECT).origin, new URL(passport.baseUrl).origin]) {
        const answer = await preflight(path, origin);
        expect([answer.status, allowed(answer), answer.headers.get('access-control-allow-credentials')]).toEqual([204, origin, null]);
        expect(answer.headers.get('access-control-allow-headers')).toMatch(/authorization.*content-type/);
      }
      for (const origin of ['https://evil.example', `${ORIGIN}.evil.example`, 'http://pages.house.example', `${ORIGIN}:8443`, 'null']) expect(allowed(await preflight(path, origin))).toBeNull();
    });

    it('read what is answered from those origins alone', async () => {
      const read = async (path: string, origin: string, method = 'POST') => allowed(await fetch(`${passport.baseUrl}/passportsvc${path}`, { method, headers: { origin, 'content-type': 'application/x-www-form-urlencoded' }, ...(method === 'POST' && { body: 'grant_type=x&client_id=console' }) }));
      for (const path of ['/api/v2/oauth/token', '/api/v1/oauth/token', '/api/v1/oauth/revoke']) expect([await read(path, ORIGIN), await read(path, 'https://evil.example')]).toEqual([ORIGIN, null]);
      expect([await read('/.well-known/openid-configuration', ORIGIN, 'GET'), await read('/.well-known/openid-configuration', 'https://evil.example', 'GET')]).toEqual([ORIGIN, null]);
    });

    it.each(['/api/v2/oauth/authorize', '/api/v1/oauth/authorize', '/api/v2/oauth/authorize/x'])('never read %s: that is for the browser itself', async (path) => {
      expect(allowed(await preflight(path, ORIGIN))).toBeNull();
      for (const method of path.endsWith('/x') ? ['GET'] : ['GET', 'POST']) {
        const answer = await fetch(`${passport.baseUrl}/passportsvc${path}?client_id=${house.app._id}&redirect_uri=${encodeURIComponent(REDIRECT)}`, { method, headers: { origin: ORIGIN }, redirect: 'manual' });
        expect(allowed(answer)).toBeNull();
      }
    });
  });

  describe('learn from discovery', () => {
    const discover = async (name = 'openid-configuration') => (await (await fetch(`${passport.baseUrl}/passportsvc/.well-known/${name}`)).json()) as Record<string, string & string[]>;

    it('what there is, and nothing that there is not', async () => {
      const issuer = `${passport.baseUrl}/passportsvc`;
      const known = await discover();
      expect(known).toMatchObject({
        issuer, authorization_endpoint: `${issuer}/api/v2/oauth/authorize`, token_endpoint: `${issuer}/api/v2/oauth/token`, jwks_uri: `${issuer}/api/v1/oauth/jwks`,
        userinfo_endpoint: `${issuer}/api/v1/oauth/userinfo`, revocation_endpoint: `${issuer}/api/v1/oauth/revoke`, introspection_endpoint: `${issuer}/api/v1/oauth/introspect`,
        scopes_supported: ['openid', 'profile', 'email', 'read', 'write', 'scim', 'download-secrets'], response_types_supported: ['code'], response_modes_supported: ['both', 'fragment', 'query'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'], code_challenge_methods_supported: ['S256'], id_token_signing_alg_values_supported: ['ES256'],
        subject_types_supported: ['public'], authorization_response_iss_parameter_supported: true, request_parameter_supported: false, request_uri_parameter_supported: false, claims_parameter_supported: false,
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'], introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      });
      expect(Object.keys(known).filter((name) => /registration|device|backchannel|pushed|check_session/.test(name))).toEqual([]);
      expect(await discover('oauth-authorization-server')).toEqual(known);
    });

    it('which scopes there are, of which the reference says who may ask for which', async () => {
      const { components } = (await (await fetch(`${passport.baseUrl}/passportsvc/api/v1/openapi.json`)).json()) as Reference;
      const { authorizationCode, clientCredentials } = components.securitySchemes.oauth2.flows;
      const [ofUsers, ofClients] = [Object.keys(authorizationCode.scopes), Object.keys(clientCredentials.scopes)];
      expect([ofUsers, ofClients]).toEqual([USER_SCOPES, CLIENT_SCOPES]);
      expect([...new Set([...ofUsers, ...ofClients])]).toEqual((await discover())['scopes_supported']);
    });

    it('addresses that all answer', async () => {
      const known = await discover();
      const { access_token: token } = await tokensOf(passport.baseUrl);
      const headers = { authorization: `Bearer ${token}` };
      for (const [name, address] of Object.entries(known).filter(([key]) => /_endpoint$|_uri$/.test(key))) {
        const answers = await Promise.all(['GET', 'POST'].map((method) => fetch(String(address), { method, headers, redirect: 'manual' })));
        expect({ name, answered: answers.some(({ status }) => status !== 404 && status < 500) }).toEqual({ name, answered: true });
      }
    });

    it('which claims there are', async () => {
      const { claims_supported: supported } = await discover();
      expect(supported).toEqual(expect.arrayContaining(['sub', 'name', 'given_name', 'family_name', 'locale', 'email', 'email_verified', 'iss']));
    });
  });
});
