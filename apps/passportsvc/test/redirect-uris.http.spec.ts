import { registerApp } from './applications';
import { Browser, newVerifier } from './browser';
import { submitForm } from './pages';
import { type PassportApp, startPassport } from './passport-app';
import { authorizeUrl, exchange, type Parameters, signInAt, type Tokens } from './sign-in';
import { newTenant, type Tenant } from './tenancy';

const END_SESSION = '/passportsvc/api/v1/oauth/end_session';
/** Each is written anew by whoever takes it apart and puts it together. */
const WRITTEN = [
  'https://a.example/cb?flag', 'https://a.example/cb?a=%20b&c=~d', "https://a.example/cb?q='x'&r=a+b%2B", 'https://a.example/cb?', 'https://a.example/cb?a=1&', 'https://A.example:443/cb',
  'https://a.example/%7Eme/./cb', 'https://a.example/cb?next=a,https://a.example/other', 'com.example.app:/cb?x', "https://a.example/it's?a[]=1|2", 'https://a.example/cb?a=%e4%F6',
];
const ADDED = /^[?&#]?[a-z_]+=/;

describe('the address that a browser is sent back to', () => {
  let passport: PassportApp;
  beforeAll(async () => { passport = await startPassport(); });
  afterAll(() => passport?.stop());

  describe.each(WRITTEN)('%s', (uri) => {
    const sentTo = (headers: Headers) => {
      const location = headers.get('location') ?? '';
      return { kept: location.startsWith(uri), added: ADDED.test(location.slice(uri.length)) };
    };
    let app: Awaited<ReturnType<typeof registerApp>>;
    beforeAll(async () => { app = await registerApp(passport, { redirectUris: [uri], postLogoutRedirectUris: [uri] }); });

    it('stays as it is registered, with codes and errors, in every mode', async () => {
      const browser = new Browser(passport.baseUrl);
      const request: Parameters = { client_id: app.id, redirect_uri: uri };
      const { headers } = await signInAt(browser, authorizeUrl(newVerifier(), request));
      expect(sentTo(headers)).toEqual({ kept: true, added: true });
      for (const response_mode of ['query', 'fragment', undefined]) {
        for (const changes of [{}, { scope: 'read"' }, { response_type: 'password' }] as Parameters[]) {
          const answer = await browser.get(authorizeUrl(newVerifier(), { ...request, response_mode, ...changes }));
          expect([answer.status, sentTo(answer.headers)]).toEqual([302, { kept: true, added: true }]);
          const told = new URLSearchParams(answer.location?.hash ? answer.location.hash.slice(1) : answer.location?.search);
          expect([told.has('code'), told.get('state')]).toEqual([Object.keys(changes).length === 0, 'st']);
        }
      }
    });

    it('stays so after a sign-out, at once and when its owner has agreed', async () => {
      const open = async () => {
        const browser = new Browser(passport.baseUrl);
        const verifier = newVerifier();
        const { location } = await signInAt(browser, authorizeUrl(verifier, { client_id: app.id, redirect_uri: uri, scope: 'openid', response_mode: 'fragment' }));
        const code = new URLSearchParams(location?.hash.slice(1)).get('code') ?? undefined;
        const answer = await exchange(passport.baseUrl, { grant_type: 'authorization_code', code, client_id: app.id, redirect_uri: uri, code_verifier: verifier });
        return { browser, id_token_hint: ((await answer.json()) as Tokens).id_token ?? '' };
      };
      const after = { post_logout_redirect_uri: uri };
      for (const state of [{}, { state: 'a b' }]) {
        const joint = /[?&]$/.test(uri) ? '' : '&';
        const whole = 'state' in state ? `${uri}${uri.includes('?') ? joint : '?'}state=a+b` : uri;
        const { browser, id_token_hint } = await open();
        expect((await browser.get(`${END_SESSION}?${new URLSearchParams({ id_token_hint, ...after, ...state })}`)).headers.get('location')).toBe(whole);
        const { browser: asked } = await open();
        const page = await asked.get(`${END_SESSION}?${new URLSearchParams({ client_id: app.id, ...after, ...state })}`);
        expect((await submitForm(asked, page, '/end_session/confirm', { logout: 'yes' })).headers.get('location')).toBe(whole);
      }
    });
  });

  describe('in a list', () => {
    const COMMA = 'http://localhost:9999/cb?next=a,http://localhost:9999/other';
    let house: Tenant;
    beforeAll(async () => { house = await newTenant(passport, 'Commas'); });

    it.each(['_redirectUris', '_postLogoutRedirectUris'])('keeps its commas when the record is read and written back: %s', async (field) => {
      const path = `/apps/${house.app._id}`;
      const other = 'https://a.example/x%2Cy';
      const made = await house.owner.put(path, { [field]: [COMMA, other] });
      const shown = `http://localhost:9999/cb?next=a%2Chttp://localhost:9999/other,${other}`;
      expect([made.status, made.body[field]]).toEqual([200, shown]);
      const whole = (await house.owner.get(path)).body;
      for (const back of [whole, { [field]: whole[field] }, { [field]: String(whole[field]).split(',') }, { [field]: [COMMA, other] }]) {
        expect((await house.owner.put(path, back)).body[field]).toBe(shown);
        const ask = (uri: string) => new Browser(passport.baseUrl).get(field === '_redirectUris'
          ? authorizeUrl(newVerifier(), { client_id: house.app._id, redirect_uri: uri }) : `${END_SESSION}?${new URLSearchParams({ client_id: house.app._id, post_logout_redirect_uri: uri })}`);
        expect([(await ask(COMMA)).status, (await ask(other)).status, (await ask('http://localhost:9999/other')).status, (await ask(COMMA.replace(',', '%2C'))).status]).toEqual(
          field === '_redirectUris' ? [302, 302, 400, 400] : [200, 200, 400, 400],
        );
      }
      expect((await house.owner.put(path, { [field]: 'https://a.example/1,https://a.example/2' })).body[field]).toBe('https://a.example/1,https://a.example/2');
      expect((await house.owner.put(path, { [field]: '' })).body[field]).toBe('');
    });

    it('that are origins has no commas in it: no host has one', async () => {
      expect((await house.owner.put(`/apps/${house.app._id}`, { _authorizedOrigins: ['http://a,b.example'] })).status).toBe(400);
    });
  });
});
