import { createServer, type Server } from 'node:http';
import { eventually, freePort } from '@twinyard/testing';
import { decodeJwt } from 'jose';
import { DataSource } from 'typeorm';
import { loadOidcLibrary } from '../src/oauth/oidc-library';
import { registerApp } from './applications';
import { Browser, type BrowserResponse } from './browser';
import { type PassportApp, startPassport } from './passport-app';
import { type Caller, manager, newPerson, send } from './tenancy';
import { newRealm, type Provider, type Realm, UpstreamVisit } from './upstream-visit';

const PASSWORD = 'a long enough one';
const SECRET = 'a secret that both instances know';

describe('another instance of this service as the issuer', () => {
  let upstream: PassportApp;
  let passport: PassportApp;
  let realm: Realm;
  let provider: Provider;
  let person: Caller;

  beforeAll(async () => {
    [upstream, passport] = await Promise.all([startPassport(), startPassport({ UPSTREAM_ALLOW_PRIVATE: true })]);
    realm = await newRealm(passport, 'House');
    const client = await registerApp(upstream, { name: 'Down the street', secret: SECRET, redirectUris: [] });
    provider = await realm.connect(await manager(passport), `${upstream.baseUrl}/passportsvc`, { _clientId: client.id, _clientSecret: SECRET, _provision: true });
    await upstream.app.get(DataSource, { strict: false }).query('UPDATE app SET redirect_uris = $2 WHERE id = $1', [client.id, [provider._redirectUri]]);
    person = await newPerson(upstream, 'Upstream');
  });
  afterAll(async () => { await Promise.all([upstream?.stop(), passport?.stop()]); });

  const setVerified = (verified: boolean) => upstream.app.get(DataSource, { strict: false }).query('UPDATE app_user SET email_verified = $2 WHERE id = $1', [person.id, verified]);

  /** Through the sign-in page of the issuer, by its form, and back. */
  const through = async (visit: UpstreamVisit, there: Browser): Promise<BrowserResponse> => {
    const departure = await visit.leave(provider);
    const toPage = await there.get(departure.location as URL);
    if (toPage.location?.origin === passport.baseUrl) return visit.arrive(toPage.location);
    const signedIn = await there.fill(await there.get(toPage.location as URL), { email: person.email, password: PASSWORD });
    return visit.arrive((await there.get(signedIn.location as URL)).location as URL);
  };

  it('signs somebody in who has an account only there, and again without asking', async () => {
    await setVerified(true);
    const [visit, there] = [await UpstreamVisit.begin(realm, { scope: 'openid read write' }), new Browser(upstream.baseUrl)];
    const answer = await through(visit, there);
    const tokens = await visit.tokens(answer);
    const me = await send(passport, 'GET', '/users/me', tokens.access_token);
    expect(me.body).toMatchObject({ _email: person.email, _emailVerified: true, _firstname: 'Upstream', _lastname: 'Tester', _isSocial: true });
    expect(me.body._id).not.toBe(person.id);
    expect(decodeJwt(tokens.id_token ?? '')).toMatchObject({ sub: me.body._id });
    const [session] = await passport.app.get(DataSource, { strict: false }).query<{ amr: unknown }[]>(`SELECT payload->'amr' AS amr FROM oidc_state WHERE model = 'Session' AND user_id = $1`, [me.body._id]);
    expect(session?.amr).toEqual(['fed']);

    expect((await visit.browser.get('/passportsvc/api/accounts')).text).toContain('Connected organizations');
    await send(passport, 'GET', '/logout', tokens.access_token);
    expect((await send(passport, 'GET', '/users/me', tokens.access_token)).status).toBe(401);
    const again = await UpstreamVisit.begin(realm);
    expect(await again.who(await through(again, there))).toMatchObject({ _id: me.body._id });
  });

  it('lets in nobody whom it has disabled', async () => {
    await setVerified(true);
    const there = new Browser(upstream.baseUrl);
    await through(await UpstreamVisit.begin(realm), there);
    await (await manager(upstream)).put(`/users/${person.id}`, { _disabled: true });
    const visit = await UpstreamVisit.begin(realm);
    const toPage = await there.get((await visit.leave(provider)).location as URL);
    expect(toPage.location?.pathname).toMatch(/^\/passportsvc\/sign-in\//);
    await (await manager(upstream)).put(`/users/${person.id}`, { _disabled: false });
  });

  it('keeps the sign-in here when its own cannot go on, and works when it can again', async () => {
    const visit = await UpstreamVisit.begin(realm);
    await upstream.app.get(DataSource, { strict: false }).query('UPDATE app SET redirect_uris = $1 WHERE redirect_uris = $2', [['https://elsewhere.example/'], [provider._redirectUri]]);
    expect((await new Browser(upstream.baseUrl).get((await visit.leave(provider)).location as URL)).status).toBe(400);
    await upstream.app.get(DataSource, { strict: false }).query('UPDATE app SET redirect_uris = $2 WHERE redirect_uris = $1', [['https://elsewhere.example/'], [provider._redirectUri]]);
    await eventually(async () => expect((await through(visit, new Browser(upstream.baseUrl))).location?.searchParams.get('code')).toEqual(expect.any(String)));
  });
});

describe('a plain OpenID Connect provider as the issuer', () => {
  let server: Server;
  let issuer: string;
  let passport: PassportApp;
  let realm: Realm;
  let provider: Provider;
  const redirectUris: string[] = [];

  beforeAll(async () => {
    const port = await freePort();
    issuer = `http://127.0.0.1:${port}`;
    passport = await startPassport({ UPSTREAM_ALLOW_PRIVATE: true });
    realm = await newRealm(passport, 'House');
    const { Provider } = await loadOidcLibrary();
    const start = () => new Provider(issuer, {
      clients: [{ client_id: 'twinyard', client_secret: SECRET, redirect_uris: redirectUris, token_endpoint_auth_method: 'client_secret_basic' }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['of the test'] },
      findAccount: async (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id, email: `${id}@plain.example`, email_verified: true, name: 'Grace Brewster Hopper' }) }),
    }).callback();
    redirectUris.push('https://not-yet.example/');
    let handle = start();
    server = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    provider = await realm.connect(await manager(passport), issuer, { _clientSecret: SECRET, _provision: true });
    redirectUris.splice(0, 1, provider._redirectUri);
    handle = start();
  });
  afterAll(async () => {
    await passport?.stop();
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  it('signs somebody in through its own pages, with an address that its userinfo endpoint tells', async () => {
    const visit = await UpstreamVisit.begin(realm);
    const there = new Browser(issuer);
    let answer = await there.get((await visit.leave(provider)).location as URL);
    for (let step = 0; step < 8 && answer.location?.origin !== passport.baseUrl; step += 1) {
      answer = answer.location === undefined ? await there.fill(answer, { login: 'grace', password: 'any' }) : await there.get(answer.location);
    }
    expect(await visit.who(await visit.arrive(answer.location as URL))).toMatchObject({ _email: 'grace@plain.example', _emailVerified: true, _firstname: 'Grace Brewster', _lastname: 'Hopper' });
  });
});
