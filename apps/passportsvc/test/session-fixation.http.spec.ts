import { eventually } from '@twinyard/testing';
import { APP_REDIRECT_URI, registerApp } from './applications';
import { follow, headingOf, query, submitForm } from './pages';
import { Browser, newVerifier } from './browser';
import { ADMIN, type PassportApp, REDIRECT_URI, startPassport, startReplica } from './passport-app';
import { authorizeUrl, exchange, signInAt, type Tokens, tokensOf } from './sign-in';
import { newPerson, send } from './tenancy';

const SESSION = 'passport_session';
const MALLORY_PASSWORD = 'a long enough one';

describe('the session of a browser', () => {
  let passport: PassportApp;
  let mallory: { readonly email: string; readonly password: string };
  beforeAll(async () => {
    passport = await startPassport();
    mallory = { email: (await newPerson(passport, 'Mallory')).email, password: MALLORY_PASSWORD };
  });
  afterAll(async () => { await passport.stop(); });

  const newBrowser = () => new Browser(passport.baseUrl);
  /** Whom a browser is signed in as: what an authorization request without a page is answered with. */
  const signedInAs = async (browser: Browser): Promise<string> => {
    const verifier = newVerifier();
    const answer = await browser.get(authorizeUrl(verifier, { prompt: 'none' }));
    const code = answer.location?.searchParams.get('code') ?? undefined;
    if (code === undefined) return answer.location?.searchParams.get('error') ?? '';
    const response = await exchange(passport.baseUrl, { grant_type: 'authorization_code', code, client_id: 'console', redirect_uri: REDIRECT_URI, code_verifier: verifier });
    const { body } = await send(passport, 'GET', '/users/me', ((await response.json()) as Tokens).access_token);
    return (body as { _email: string })._email;
  };
  const begin = async (browser: Browser) => {
    const { location } = await browser.get(authorizeUrl(newVerifier()));
    if (location === undefined) throw new Error('no sign-in page');
    return browser.get(location);
  };
  const csrfOf = (text: string) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const actionOf = (text: string) => /<form[^>]*action="([^"]+)"/.exec(text)?.[1] ?? '';

  it('gets a name that nobody knew before the sign-in: cookies that were planted are worth nothing after it', async () => {
    const victim = newBrowser();
    await begin(victim);
    const planted = victim.copy();
    const before = victim.cookie(SESSION);
    await signInAt(victim, authorizeUrl(newVerifier()));
    expect(victim.cookie(SESSION)).toEqual(expect.any(String));
    expect(victim.cookie(SESSION)).not.toBe(before);
    expect([await signedInAs(victim), await signedInAs(planted)]).toEqual([ADMIN.email, 'login_required']);
  });

  it('is left behind when somebody else signs in over it, with the tokens of neither mixed up', async () => {
    const attacker = newBrowser();
    await signInAt(attacker, authorizeUrl(newVerifier()), mallory);
    const victim = attacker.copy();
    const change = await signInAt(victim, authorizeUrl(newVerifier(), { prompt: 'login' }));
    const changed = await victim.fill(change, {});
    await victim.get(changed.location ?? '');
    expect(victim.cookie(SESSION)).not.toBe(attacker.cookie(SESSION));
    expect(await signedInAs(victim)).toBe(ADMIN.email);
    expect(await signedInAs(attacker)).not.toBe(ADMIN.email);
  });

  it.each(['made up', 'x'.repeat(43), '../../admin', '%00'])('is not made by a cookie that the platform did not sign: %s', async (value) => {
    const browser = newBrowser();
    browser.plant(SESSION, encodeURIComponent(value));
    browser.plant(`${SESSION}.sig`, 'made-up');
    expect(await signedInAs(browser)).toBe('login_required');
  });

  it('has cookies that no script reads, that no other site sends, and whose forms the browser that began the sign-in alone can send', async () => {
    const browser = newBrowser();
    const toPage = await browser.get(authorizeUrl(newVerifier()));
    const page = await browser.get(toPage.location as URL);
    const signedIn = await browser.fill(page, ADMIN);
    const resumed = await browser.get(signedIn.location as URL);
    const set = [toPage, page, signedIn, resumed].flatMap(({ headers }) => headers.getSetCookie()).filter((text) => !/expires=thu, 01 jan 1970/i.test(text));
    expect(set.some((text) => text.startsWith(`${SESSION}=`))).toBe(true);
    for (const text of set) expect(text).toMatch(/; *httponly/i);
    for (const text of set) expect(text).toMatch(/; *samesite=lax/i);
  });

  it('cannot be begun by another site: its form has no token of this sign-in (login CSRF)', async () => {
    const [attacker, victim] = [newBrowser(), newBrowser()];
    const [theirs, own] = [await begin(attacker), await begin(victim)];
    const values = { email: mallory.email, password: mallory.password };
    const forged = [
      await victim.submit(actionOf(own.text), values),
      await victim.submit(actionOf(own.text), { ...values, csrf: csrfOf(theirs.text) }),
      await victim.submit(actionOf(own.text), { ...values, csrf: `${csrfOf(own.text).slice(0, -1)}` }),
      await victim.submit(actionOf(theirs.text), { ...values, csrf: csrfOf(theirs.text) }),
      await newBrowser().submit(actionOf(own.text), { ...values, csrf: csrfOf(own.text) }),
    ];
    expect(forged.map(({ status }) => status)).toEqual([403, 403, 403, 400, 400]);
    expect(forged.every(({ location }) => location === undefined)).toBe(true);
    expect(await signedInAs(victim)).toBe('login_required');
  });

  it('is not gone on with by another browser, after the password either', async () => {
    const [victim, attacker] = [newBrowser(), newBrowser()];
    const signedIn = await victim.fill(await begin(victim), ADMIN);
    const stolen = await attacker.get(signedIn.location as URL);
    expect([stolen.status, stolen.location]).toEqual([400, undefined]);
    expect(await signedInAs(attacker)).toBe('login_required');
  });

  it('ends everywhere with a logout: tokens of every application, refresh tokens, codes on their way, and the browser, on every replica', async () => {
    const replica = await startReplica(passport);
    try {
      const secret = 'secret-of-the-application';
      const app = await registerApp(passport, { secret, authorizedGrantTypes: ['authorization_code', 'refresh_token'] });
      const browser = newBrowser();
      const { access_token: first } = await tokensOf(passport.baseUrl, ADMIN, browser);
      const verifier = newVerifier();
      const inApp = { client_id: app.id, redirect_uri: APP_REDIRECT_URI };
      const authorization = { authorization: `Basic ${Buffer.from(`${app.id}:${secret}`).toString('base64')}` };
      const codeFor = async () => (await browser.get(authorizeUrl(verifier, inApp))).location?.searchParams.get('code') ?? '';
      const redeem = (code: string) => exchange(passport.baseUrl, { grant_type: 'authorization_code', code, redirect_uri: APP_REDIRECT_URI, code_verifier: verifier }, undefined, authorization);
      const { access_token: second, refresh_token: refreshToken } = (await (await redeem(await codeFor())).json()) as Tokens;
      const underway = await codeFor();
      const exchanged = (await send(passport, 'POST', `/auth/token?appId=${app.id}`, first)).body as Tokens;

      expect((await fetch(`${replica.url}/passportsvc/api/v1/logout`, { headers: { authorization: `Bearer ${first}` } })).status).toBe(204);
      for (const base of [passport.baseUrl, replica.url]) {
        for (const token of [first, second, exchanged.access_token]) {
          expect((await fetch(`${base}/passportsvc/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
        }
      }
      expect((await redeem(underway)).status).toBe(403);
      expect((await exchange(passport.baseUrl, { grant_type: 'refresh_token', refresh_token: refreshToken }, undefined, authorization)).status).toBe(403);
      expect(await signedInAs(browser)).toBe('login_required');
    } finally {
      await replica.stop();
    }
  });

  describe('is ended by an application (OpenID Connect RP-Initiated Logout 1.0)', () => {
    const AFTER = 'https://app.example.com/signed-out';
    let app: Awaited<ReturnType<typeof registerApp>>;
    beforeAll(async () => { app = await registerApp(passport, { name: 'Plans & <Co>', postLogoutRedirectUris: [AFTER] }); });

    const open = async (email = ADMIN) => {
      const browser = newBrowser();
      const verifier = newVerifier();
      const request = { client_id: app.id, redirect_uri: APP_REDIRECT_URI, scope: 'openid read write' };
      const answer = await signInAt(browser, authorizeUrl(verifier, request), email);
      const form = { grant_type: 'authorization_code', code: answer.location?.searchParams.get('code') ?? '', client_id: app.id, redirect_uri: APP_REDIRECT_URI, code_verifier: verifier };
      const tokens = (await (await exchange(passport.baseUrl, form)).json()) as Tokens;
      return { browser, idToken: tokens.id_token ?? '', tokens: [(await tokensOf(passport.baseUrl, email, browser)).access_token, tokens.access_token] };
    };
    const statuses = (tokens: readonly string[], url = passport.baseUrl) =>
      Promise.all(tokens.map(async (token) => (await fetch(`${url}/passportsvc/api/v1/principalinfo`, { headers: { authorization: `Bearer ${token}` } })).status));
    const endSession = (parameters: Record<string, string>) => `/passportsvc/api/v1/oauth/end_session?${new URLSearchParams(parameters)}`;

    it('at once by an ID token of who is signed in: tokens of every application, on every replica, and the way back is told', async () => {
      const replica = await startReplica(passport);
      try {
        const { end_session_endpoint: endpoint } = (await (await fetch(`${passport.baseUrl}/passportsvc/.well-known/openid-configuration`)).json()) as Record<string, string>;
        expect(endpoint).toBe(`${passport.baseUrl}/passportsvc/api/v1/oauth/end_session`);
        const { browser, idToken, tokens } = await open();
        expect([...(await statuses(tokens)), ...(await statuses(tokens, replica.url))]).toEqual([200, 200, 200, 200]);
        const ended = await browser.get(endSession({ id_token_hint: idToken, post_logout_redirect_uri: AFTER, state: 'a b' }));
        expect([ended.status, ended.location?.href]).toEqual([302, `${AFTER}?state=a+b`]);
        expect([...(await statuses(tokens)), ...(await statuses(tokens, replica.url))]).toEqual([401, 401, 401, 401]);
        expect(await signedInAs(browser)).toBe('login_required');
        expect(browser.cookie(SESSION)).toBeUndefined();
      } finally {
        await replica.stop();
      }
    });

    it('by a form too, from which the browser goes on by GET, with its cookie', async () => {
      const { browser, idToken, tokens } = await open();
      const endpoint = `${passport.baseUrl}/passportsvc/api/v1/oauth/end_session`;
      const sent = await browser.submit(endpoint, { id_token_hint: idToken, post_logout_redirect_uri: AFTER, state: 'ä\r\nb' });
      expect([sent.status, await statuses(tokens)]).toEqual([302, [200, 200]]);
      const ended = await browser.get(sent.location?.href ?? '');
      expect([ended.status, ended.location?.href]).toEqual([302, `${AFTER}?${new URLSearchParams({ state: 'ä\r\nb' })}`]);
      expect(await statuses(tokens)).toEqual([401, 401]);
      expect([(await browser.submit(endpoint, { state: 'x'.repeat(60_000) })).status, (await browser.submit(endpoint, { state: '\0' })).status]).toEqual([413, 400]);
    });

    it('after a page has asked where no ID token shows who it is, or one of somebody else: nothing ends unasked', async () => {
      const { browser, tokens } = await open();
      const { idToken: foreign } = await open(mallory);
      for (const parameters of [{ client_id: app.id }, { id_token_hint: foreign }, {}]) {
        const page = await browser.get(endSession({ ...parameters, ui_locales: 'de' }));
        expect([page.status, headingOf(page), page.headers.get('content-security-policy')]).toEqual([200, 'Abmelden?', expect.stringContaining(`form-action 'self';`)]);
        expect(page.text.includes('Plans &amp; &lt;Co&gt;')).toBe(parameters !== undefined && Object.keys(parameters).length > 0);
      }
      const asked = await browser.get(endSession({ client_id: app.id, post_logout_redirect_uri: AFTER, state: 'x' }));
      expect(asked.headers.get('content-security-policy')).toContain(`form-action 'self' https://app.example.com;`);
      expect([await statuses(tokens), await signedInAs(browser)]).toEqual([[200, 200], ADMIN.email]);
      const confirmed = await submitForm(browser, asked, '/end_session/confirm', { logout: 'yes' });
      expect([confirmed.status, confirmed.location?.href]).toEqual([302, `${AFTER}?state=x`]);
      expect([await statuses(tokens), await signedInAs(browser)]).toEqual([[401, 401], 'login_required']);
    });

    it('by its own form alone, and sends nobody to an address that is not registered exactly', async () => {
      const { browser, idToken, tokens } = await open();
      for (const uri of [`${AFTER}/`, 'https://app.example.com/', APP_REDIRECT_URI, 'https://evil.example/', `${AFTER}?x=1`]) {
        const refused = await browser.get(endSession({ id_token_hint: idToken, post_logout_redirect_uri: uri }), { accept: 'text/html' });
        expect([refused.status, refused.location, headingOf(refused)]).toEqual([400, undefined, 'This sign-in cannot go on']);
      }
      const asked = await browser.get(endSession({}));
      expect((await submitForm(browser, asked, '/end_session/confirm', { logout: 'yes', xsrf: 'guess' })).status).toBe(400);
      for (const hint of ['made.up.hint', `${idToken.slice(0, -4)}AAAA`]) expect((await browser.get(endSession({ id_token_hint: hint, post_logout_redirect_uri: AFTER }))).status).toBe(400);
      expect([await statuses(tokens), await signedInAs(browser)]).toEqual([[200, 200], ADMIN.email]);
      const again = await browser.get(endSession({ post_logout_redirect_uri: 'https://evil.example/' }));
      const done = await follow(browser, await submitForm(browser, again, '/end_session/confirm', { logout: 'yes' }), passport.baseUrl);
      expect([headingOf(done), await statuses(tokens)]).toEqual(['You are signed out', [401, 401]]);
    });

    it('is in the audit log with who it was and from where', async () => {
      const { browser, idToken } = await open(mallory);
      await browser.get(endSession({ id_token_hint: idToken }));
      // Out of the console she was signed when somebody else signed in over her.
      const sql = `SELECT action, address FROM audit_entry WHERE action = 'SIGN_OUT' AND irn = 'passportsvc:app:' || $1 AND by_id = (SELECT id::text FROM app_user WHERE email = $2)`;
      await eventually(async () => expect(await query(passport, sql, [app.id, mallory.email])).toEqual([{ action: 'SIGN_OUT', address: '127.0.0.1' }]));
    });
  });
});
