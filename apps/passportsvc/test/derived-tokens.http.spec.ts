import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scopeAllows } from '@twinyard/conventions';
import { actingOperations, type ApiDocument, issuingOperations } from '@twinyard/testing';
import { decodeJwt } from 'jose';
import { DataSource } from 'typeorm';
import { AppsRepository } from '../src/apps/apps.repository';
import { APP_REDIRECT_URI, registerApp } from './applications';
import { Browser, newVerifier } from './browser';
import { type PassportApp, startPassport } from './passport-app';
import { authorizeUrl, exchange, signInAt, type Tokens } from './sign-in';
import { type Answer, API, type Caller, manager, newPerson, newTenant, send, type Tenant } from './tenancy';

const APPS = join(__dirname, '../..');
const SECRET = 'a-secret-of-an-application';
const documentOf = (service: string) => JSON.parse(readFileSync(join(APPS, service, 'openapi.json'), 'utf8')) as ApiDocument;
const basic = (id: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` });

/** Tokens of the contract's scopes, and what each may do. */
const MAKERS = [['read'], ['write'], ['read', 'write']] as const;
type Scopes = (typeof MAKERS)[number];
const allowedBy = (scopes: readonly string[]) => (['READ', 'EDIT'] as const).filter((action) => scopeAllows(scopes, action));

/** Makes the thing with a token of these scopes: the scopes of what came, or `refused`. */
type Issue = (scopes: Scopes) => Promise<readonly string[] | 'refused'>;

describe('what a token makes has no more than the token', () => {
  let passport: PassportApp;
  let house: Tenant;
  let admin: Caller;
  let password: { readonly email: string; readonly password: string };

  beforeAll(async () => {
    passport = await startPassport();
    [house, admin] = await Promise.all([newTenant(passport, 'House'), manager(passport)]);
    password = { email: (await newPerson(passport, 'Ann')).email, password: 'a long enough one' };
  });
  afterAll(() => passport?.stop());

  const tokenOf = async (form: Record<string, string>, headers = {}, path = '/oauth/token') => (await (await exchange(passport.baseUrl, form, API + path, headers)).json()) as Tokens;
  const scopesIn = ({ access_token: token }: Tokens) => (token === undefined ? 'refused' as const : String(decodeJwt(token)['scope']).split(' '));
  const refusedBy = ({ status }: Answer) => {
    expect(status).toBe(403);
    return 'refused' as const;
  };
  const ofClient = async (answer: Answer) => {
    if (answer.status >= 300) return refusedBy(answer);
    const { client_id: id, client_secret: secret } = answer.body as { client_id: string; client_secret: string };
    return scopesIn(await tokenOf({ grant_type: 'client_credentials' }, basic(id, secret)));
  };
  const byCode = async (scopes: Scopes) => {
    const app = await registerApp(passport, { secret: SECRET, authorizedGrantTypes: ['authorization_code', 'refresh_token'] });
    const verifier = newVerifier();
    const url = authorizeUrl(verifier, { client_id: app.id, redirect_uri: APP_REDIRECT_URI, scope: scopes.join(' ') });
    const code = (await signInAt(new Browser(passport.baseUrl), url, password)).location?.searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: APP_REDIRECT_URI, code_verifier: verifier };
    return { app, tokens: await tokenOf(form, basic(app.id, SECRET)) };
  };

  const ROWS: Readonly<Record<string, readonly [name: string, issue: Issue][]>> = {
    [`POST ${API}/users/me/accesskeys`]: (['console', 'its own application'] as const).map((place) => [
      `an access key, shown for a token of ${place}`, async (scopes) => {
        const made = await (await house.owner.in('console', scopes)).post('/users/me/accesskeys', { _name: 'key' });
        if (made.status >= 300) return refusedBy(made);
        const appId = place === 'console' ? 'console' : house.app._id;
        return scopesIn(await tokenOf({}, basic(made.body._id, made.body._secret), `/auth/token?appId=${appId}`));
      },
    ]),
    [`POST ${API}/auth/token`]: [['a token of another application', async (scopes) => {
      const caller = await house.owner.in('console', scopes);
      const answer = await caller.post(`/auth/token?appId=${house.app._id}`);
      return answer.status >= 300 ? refusedBy(answer) : scopesIn(answer.body as Tokens);
    }]],
    [`POST ${API}/clients`]: (['read', 'write', 'read write'] as const).map((wanted) => [`a client with ${wanted}`, async (scopes) =>
      ofClient(await (await admin.in('console', scopes)).post('/clients', { _name: 'robot', _scopes: wanted.split(' ') }))]),
    [`POST ${API}/clients/{id}/rotate`]: (['read', 'read write'] as const).map((held) => [`the secret of a client with ${held}`, async (scopes) => {
      const { client_id: id } = (await admin.post('/clients', { _name: 'robot', _scopes: held.split(' ') })).body as { client_id: string };
      return ofClient(await (await admin.in('console', scopes)).post(`/clients/${id}/rotate`));
    }]),
    [`POST ${API}/apps/{id}/secret`]: [['the secret of an application', async (scopes) => {
      const app = (await house.owner.post('/apps', { _name: `Server ${scopes.join()}`, _orgId: house.organization._id, _authorizedGrantTypes: 'client_credentials' })).body as { _id: string };
      const answer = await (await house.owner.in('console', scopes)).post(`/apps/${app._id}/secret`);
      if (answer.status >= 300) return refusedBy(answer);
      return scopesIn(await tokenOf({ grant_type: 'client_credentials', scope: 'read write' }, basic(app._id, answer.body.client_secret)));
    }]],
    [`POST ${API}/oauth/token`]: [['a refreshed token that asks for more', async (scopes) => {
      const { app, tokens } = await byCode(scopes);
      expect(scopesIn(tokens)).toEqual(scopes);
      return scopesIn(await tokenOf({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '', scope: 'read write' }, basic(app.id, SECRET)));
    }]],
    [`POST ${API.replace('v1', 'v2')}/oauth/token`]: [['a refreshed token', async (scopes) => {
      const { app, tokens } = await byCode(scopes);
      return scopesIn(await tokenOf({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }, basic(app.id, SECRET), '/../v2/oauth/token'));
    }]],
  };

  it('is asked of every operation that answers a token or a secret', () => {
    expect(issuingOperations(documentOf('passportsvc'))).toEqual(Object.keys(ROWS).sort());
    const others = readdirSync(APPS).filter((service) => service !== 'passportsvc' && issuingOperations(documentOf(service)).length > 0);
    // Has its rows in its own webhooks.http.spec.ts.
    expect(others).toEqual(['notificationsvc']);
  });

  it('is asked of every operation that makes what acts later, in the spec of its service', () => {
    expect(readdirSync(APPS).flatMap((service) => actingOperations(documentOf(service))).sort()).toEqual([
      'POST /datasourcesvc/api/v1/orchrun', // profiles.http.spec.ts
      'POST /datasourcesvc/api/v1/orchrun/{id}/retry', // retried-runs.http.spec.ts
      'POST /datasourcesvc/api/v1/orchschedules', // schedules.http.spec.ts
      'POST /notificationsvc/api/v1/subscription', // webhooks.http.spec.ts
      'POST /notificationsvc/api/v1/trigger', // webhooks.http.spec.ts
      `POST ${API}/usergroups/{id}/invites`, // below
    ]);
  });

  it('invites nobody by a token that reads', async () => {
    const group = (await house.inApp.post('/usergroups', [{ _name: 'Planners' }])).body._list[0] as { _id: string };
    const path = `/usergroups/${group._id}/invites`;
    await house.owner.put(`/apps/${house.app._id}`, { _redirectUris: 'https://viewer.example.com/callback', _authorizedOrigins: '' });
    const invites = [{ _email: 'guest@example.com', _params: { base_url: 'https://viewer.example.com' } }];
    expect((await (await house.owner.in(house.app._id, ['read'])).post(path, invites)).status).toBe(403);
    expect((await house.inApp.get(path)).body._total).toBe(0);
    const whole = await house.inApp.post(path, invites);
    expect([whole.status, whole.body._total]).toEqual([201, 1]);
  });

  const rows = Object.values(ROWS).flat().flatMap(([name, issue]) => MAKERS.map((scopes) => [name, scopes.join(' '), issue, scopes] as const));
  it.each(rows)('%s, by a token with %s', async (_name, _scopes, issue, scopes) => {
    const got = await issue(scopes);
    const actions = got === 'refused' ? [] : allowedBy(got);
    expect(actions.filter((action) => !allowedBy(scopes).includes(action))).toEqual([]);
    if (scopes.length === 2) expect(got).not.toBe('refused');
  });

  it('writes nothing when the token reads, by no route about the caller itself', async () => {
    const reader = await admin.in('console', ['read']);
    const key = (await admin.post('/users/me/accesskeys', { _name: 'kept' })).body as { _id: string };
    const writes: readonly [string, string, unknown?][] = [
      ['DELETE', `/users/me/accesskeys/${key._id}`], ['PUT', `/users/${admin.id}`, { _firstname: 'X' }], ['POST', '/organizations', { _name: 'X', _orgOwner: admin.email }],
      ['PUT', `/usergroups/${key._id}/invites/${key._id}`, { _status: 'REJECTED' }],
      ['POST', `/usergroups/${key._id}/invites`, []], ['POST', `/usergroups/${key._id}/users`, []], ['POST', '/permissionprofiles', []], ['DELETE', '/clients/robot'],
    ];
    for (const [method, path, body] of writes) expect([method, path, (await reader.full(method, path, body)).status]).toEqual([method, path, 403]);
    const entry = { _namespace: house.app._namespaces[0], _actions: ['READ'], _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'user', _id: admin.id } };
    const granted = await (await house.owner.in('console', ['read'])).put('/permissions', [entry]);
    expect(granted.body).toMatchObject({ _success: [], _failures: [entry] });
    expect((await admin.get('/users/me/accesskeys')).body._list).toEqual(expect.arrayContaining([expect.objectContaining({ _id: key._id })]));
  });

  describe('an access key', () => {
    const PATH = '/users/me/accesskeys';
    const shown = async (key: { _id: string; _secret: string }, appId: string, more = '') => {
      const response = await fetch(`${passport.baseUrl}${API}/auth/token?appId=${appId}${more}`, { method: 'POST', headers: basic(key._id, key._secret) });
      return { status: response.status, body: (await response.json()) as Tokens };
    };

    it('can be made with less, and not with more', async () => {
      const made = await house.owner.post(PATH, { _name: 'reads', _scopes: ['read'] });
      expect(made).toMatchObject({ status: 201, body: { _scopes: ['read'] } });
      const { body } = await shown(made.body, 'console');
      expect(body.scope).toBe('read');
      expect((await send(passport, 'POST', '/apps', body.access_token, { _name: 'X', _orgId: house.organization._id })).status).toBe(403);
      const writer = await house.owner.in('console', ['write']);
      expect((await writer.post(PATH, { _name: 'more', _scopes: ['read', 'write'] })).status).toBe(403);
      for (const _scopes of [[], ['scim'], 'read']) expect((await house.owner.post(PATH, { _name: 'odd', _scopes })).status).toBe(400);
    });

    it('gives no token that makes keys, which would outlive it and its removal', async () => {
      const key = (await house.owner.post(PATH, { _name: 'maker' })).body;
      const { access_token: token } = (await shown(key, 'console')).body;
      const passedOn = (await send(passport, 'POST', `/auth/token?appId=${house.app._id}`, token)).body as Tokens;
      for (const one of [token, passedOn.access_token]) expect((await send(passport, 'POST', PATH, one, { _name: 'child' })).status).toBe(403);
      expect((await house.owner.delete(`${PATH}/${key._id}`)).status).toBe(204);
      for (const one of [token, passedOn.access_token]) expect((await send(passport, 'GET', '/users/me', one)).status).toBe(401);
    });

    it('opens the application of its maker\'s token and those that take its tokens, and not the console', async () => {
      const friend = await registerApp(passport, { whitelistedApps: [house.app._id] });
      const key = (await house.inApp.post(PATH, { _name: 'of the application' })).body;
      expect([(await shown(key, house.app._id)).status, (await shown(key, friend.id)).status, (await shown(key, 'console')).status]).toEqual([200, 200, 403]);
    });

    it('gives no token that outlives it, also by an exchange', async () => {
      const end = Date.now() + 600_000;
      const key = (await house.owner.post(PATH, { _name: 'short', _expireTime: end })).body;
      const first = (await shown(key, 'console', '&expires_in=86400')).body;
      const second = (await send(passport, 'POST', `/auth/token?appId=${house.app._id}&expires_in=86400`, first.access_token)).body as Tokens;
      for (const { access_token: token } of [first, second]) expect((decodeJwt(token).exp ?? 0) * 1_000).toBeLessThanOrEqual(end);
    });

    it('gives none that outlives it by the second that passes while it is made', async () => {
      const apps = passport.app.get(AppsRepository, { strict: false });
      const [findClient, now] = [apps.findClient.bind(apps), Date.now.bind(Date)];
      const end = now() + 600_000;
      const key = (await house.owner.post(PATH, { _name: 'close', _expireTime: end })).body;
      let passed = 0;
      jest.spyOn(apps, 'findClient').mockImplementation(async (id) => findClient(id).finally(() => (passed = 1_000)));
      jest.spyOn(Date, 'now').mockImplementation(() => now() + passed);
      const { body } = await shown(key, 'console', '&expires_in=86400').finally(() => jest.restoreAllMocks());
      const { exp = 0, iat = 0 } = decodeJwt(body.access_token);
      expect(exp).toBe(Math.floor(end / 1_000));
      expect(body.expires_in).toBe(exp - iat);
    });

    it('that was kept before scopes were only reads', async () => {
      const key = (await house.owner.post(PATH, { _name: 'old' })).body;
      await passport.app.get(DataSource, { strict: false }).query('UPDATE access_key SET scopes = DEFAULT, app_id = DEFAULT WHERE id = $1', [key._id]);
      expect((await shown(key, house.app._id)).body.scope).toBe('read');
    });
  });
});
