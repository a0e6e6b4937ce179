import { InMemoryWebStorage, type INavigator, UserManager, type UserManagerSettings, WebStorageStateStore } from 'oidc-client-ts';
import { ADMIN, type PassportApp, startPassport } from './passport-app';
import { Person, register, RP_CALLBACK } from './relying-party';
import { newTenant, send, type Tenant } from './tenancy';

/** A window of a browser, as the library sees one: it goes to an address and comes back with another. */
const windowOf = (person: Person): INavigator => ({
  prepare: async () => ({ navigate: async ({ url }) => ({ url: (await person.visit(url)).href }), close: () => undefined }),
  callback: async () => undefined,
});

describe('oidc-client-ts', () => {
  let passport: PassportApp;
  let tenant: Tenant;
  let appId: string;
  const managers: UserManager[] = [];

  beforeAll(async () => {
    passport = await startPassport();
    tenant = await newTenant(passport, 'Pages');
    appId = await register(tenant, { _authorizedGrantTypes: 'authorization_code' });
  });
  afterEach(async () => {
    for (const manager of managers.splice(0)) {
      manager.stopSilentRenew();
      await manager.removeUser();
    }
  });
  afterAll(() => passport?.stop());

  /** A page of the application in somebody's browser. */
  const pageOf = (person: Person, settings: Partial<UserManagerSettings> = {}): UserManager => {
    const window = windowOf(person);
    const manager = new UserManager(
      {
        authority: `${passport.baseUrl}/passportsvc`, client_id: appId, redirect_uri: RP_CALLBACK, scope: 'openid profile email read write', loadUserInfo: true, automaticSilentRenew: false,
        userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }), stateStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }), ...settings,
      },
      window, window, window,
    );
    managers.push(manager);
    return manager;
  };

  it.each(['query', 'fragment'] as const)('signs somebody in with PKCE and consent, the code in the %s', async (mode) => {
    const person = Person.of(passport);
    const user = await pageOf(person, { response_mode: mode }).signinPopup();
    expect(user.profile).toMatchObject({ iss: `${passport.baseUrl}/passportsvc`, aud: appId, email: ADMIN.email, name: 'Platform Manager' });
    expect([user.token_type.toLowerCase(), user.scopes, user.expired, user.refresh_token]).toEqual(['bearer', ['openid', 'profile', 'email', 'read', 'write'], false, undefined]);
    expect((await send(passport, 'GET', '/users/me', user.access_token)).body).toMatchObject({ _id: user.profile.sub });
    expect(person.asked).toEqual(['sign-in', 'consent']);
  });

  it('takes the code where the application gets it when it does not say: in the query and in the fragment', async () => {
    expect((await pageOf(Person.of(passport)).signinPopup()).profile.email).toBe(ADMIN.email);
  });

  it('renews in a hidden frame while there is a session, and is told when it has ended', async () => {
    const person = Person.of(passport);
    const page = pageOf(person);
    const user = await page.signinPopup();
    const renewed = await page.signinSilent();
    expect([renewed?.profile.sub, renewed?.access_token === user.access_token]).toEqual([user.profile.sub, false]);
    await send(passport, 'GET', '/logout', user.access_token);
    await expect(page.signinSilent()).rejects.toMatchObject({ error: 'login_required' });
    expect((await send(passport, 'GET', '/users/me', String(renewed?.access_token))).status).toBe(401);
  });

  it('renews by refresh token where the application lists it', async () => {
    await register(tenant, { _authorizedGrantTypes: 'authorization_code,refresh_token' });
    const page = pageOf(Person.of(passport));
    const user = await page.signinPopup();
    const renewed = await page.signinSilent();
    expect([typeof renewed?.refresh_token, renewed?.refresh_token === user.refresh_token, renewed?.profile.sub]).toEqual(['string', false, user.profile.sub]);
    await page.revokeTokens();
    expect((await send(passport, 'GET', '/users/me', String(renewed?.access_token))).status).toBe(401);
    await register(tenant, { _authorizedGrantTypes: 'authorization_code' });
  });

  it('revokes what it has', async () => {
    const page = pageOf(Person.of(passport));
    const user = await page.signinPopup();
    await page.revokeTokens(['access_token']);
    expect((await send(passport, 'GET', '/users/me', user.access_token)).status).toBe(401);
  });

  it('is told when somebody does not agree', async () => {
    await expect(pageOf(Person.of(passport, ADMIN, 'deny')).signinPopup()).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('brings back what it wanted to remember, and takes no answer that it did not ask for', async () => {
    const page = pageOf(Person.of(passport));
    expect((await page.signinPopup({ state: { path: '/rooms/7' } })).state).toEqual({ path: '/rooms/7' });
    await expect(page.signinRedirectCallback(`${RP_CALLBACK}?code=x&state=unknown`)).rejects.toThrow('No matching state found');
  });

  it('sends the user to the password when it asks for prompt=login or max_age=0, and shows the hint', async () => {
    const person = Person.of(passport);
    await pageOf(person).signinPopup();
    await pageOf(person).signinPopup({ prompt: 'login' });
    await pageOf(person).signinPopup({ max_age: 0, login_hint: ADMIN.email });
    expect(person.asked).toEqual(['sign-in', 'consent', 'sign-in', 'sign-in']);
  });
});
