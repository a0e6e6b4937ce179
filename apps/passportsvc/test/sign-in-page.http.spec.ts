import { Client } from 'pg';
import { Browser, newVerifier } from './browser';
import { fillQueue, headingOf, query } from './pages';
import { ADMIN, type PassportApp, REDIRECT_URI, startPassport } from './passport-app';
import { authorizeUrl, exchange, signInAt } from './sign-in';

describe('the sign-in page', () => {
  let passport: PassportApp;
  beforeAll(async () => { passport = await startPassport(); });
  afterAll(async () => { await passport.stop(); });
  // All tests come from one address.
  beforeEach(() => query(passport, 'DELETE FROM sign_in_failure'));

  const openPage = async (changes: Record<string, string> = {}) => {
    const browser = new Browser(passport.baseUrl);
    const { location } = await browser.get(authorizeUrl(newVerifier(), changes));
    return { browser, url: location as URL, page: await browser.get(location as URL) };
  };

  it('is a plain form without scripts, under a policy that allows none', async () => {
    const { page } = await openPage({ login_hint: '"><img src=x>' });
    expect(page.text).toMatch(/<input id="email" name="email"/);
    expect(page.text).toMatch(/<input id="password" name="password" type="password"/);
    expect(page.text).not.toMatch(/<script|<img/);
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self' http://127.0.0.1:9; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    const stylesheet = await fetch(`${passport.baseUrl}/passportsvc/pages/pages.css`);
    expect([stylesheet.status, stylesheet.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  });

  it('answers alike to a wrong password and to an account that does not exist', async () => {
    const { browser, page } = await openPage();
    const wrong = await browser.fill(page, { email: ADMIN.email, password: 'wrong' });
    const unknown = await browser.fill(page, { email: 'nobody@example.com', password: 'wrong' });
    const normalised = (text: string) => text.replace(/value="[^"]*@[^"]*"/, '');
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(normalised(wrong.text)).toBe(normalised(unknown.text));
    const right = await browser.fill(wrong, ADMIN);
    expect(right.status).toBe(303);
  });

  it('refuses a form that is not its own, and another browser', async () => {
    const { browser, url, page } = await openPage();
    const forged = await browser.submit(url, { ...ADMIN, csrf: 'guess' });
    expect(forged.status).toBe(403);
    const stranger = await new Browser(passport.baseUrl).fill(page, ADMIN);
    expect([stranger.status, stranger.location]).toEqual([400, undefined]);
    expect(stranger.text).toContain('This sign-in has ended');
  });

  it('gives the session a new name at sign-in, so that a planted one is worth nothing', async () => {
    const planted = new Browser(passport.baseUrl);
    const first = await signInAt(planted, authorizeUrl(newVerifier()));
    const before = first.headers.getSetCookie().find((cookie) => cookie.startsWith('passport_session='));
    const { location } = await planted.get(authorizeUrl(newVerifier(), { prompt: 'login' }));
    const page = await planted.get(location as URL);
    const resumed = await planted.get((await planted.fill(page, ADMIN)).location as URL);
    const after = resumed.headers.getSetCookie().find((cookie) => cookie.startsWith('passport_session='));
    expect(after).toBeDefined();
    expect(after?.split(';')[0]).not.toBe(before?.split(';')[0]);
    expect(after).toMatch(/httponly/i);
    expect(after).toMatch(/samesite=lax/i);
  });

  it('slows down after five wrong passwords, and says for how long', async () => {
    const { browser, page } = await openPage();
    const target = { email: 'slow@example.com', password: 'wrong' };
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) statuses.push((await browser.fill(page, target)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    // The wait is a second, which a slow test outlasts.
    await query(passport, `UPDATE sign_in_failure SET last_failed_at = last_failed_at + interval '1 minute'`);
    const slowed = await browser.fill(page, target);
    expect(slowed.status).toBe(429);
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(slowed.text).toMatch(/Please wait \d+ seconds? and try again/);
  });

  it('counts guesses that come all at once', async () => {
    const { browser, page } = await openPage();
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.fill(page, { email: 'burst@example.com', password: 'wrong' })));
    const seconds = Math.ceil((performance.now() - began) / 1_000);
    const looked = answers.filter(({ status }) => status === 401).length;
    // Five; then one more after a second, one after two more, one after four more.
    expect(looked).toBeLessThanOrEqual(5 + Math.ceil(Math.log2(seconds + 1)));
    expect(answers.filter(({ status }) => status === 429).length).toBe(20 - looked);
  });

  describe('when it cannot be answered', () => {
    const PAGE = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'accept-language': 'de' };
    const POLICY = `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
    const ask = (path: string, init: RequestInit = {}) => fetch(passport.baseUrl + path, { ...init, headers: { ...PAGE, ...(init.headers as Record<string, string>) } });
    const expectPage = async (response: Response, status: number, heading: string) => {
      const text = await response.text();
      expect([response.status, response.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
      expect([headingOf({ text } as never), /<html lang="(\w+)">/.exec(text)?.[1]]).toEqual([heading, 'de']);
      expect(['content-security-policy', 'cache-control', 'x-frame-options', 'referrer-policy'].map((name) => response.headers.get(name))).toEqual([POLICY, 'no-store', 'DENY', 'no-referrer']);
      expect(text).toContain(response.headers.get('x-request-id'));
      return text;
    };

    it('says so on a page when too many sign-ins wait, and for how long', async () => {
      const { browser, url, page } = await openPage({ ui_locales: 'de' });
      const emptyQueue = fillQueue(passport);
      try {
        const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
        const cookie = `passport_sign_in=${browser.cookie('passport_sign_in')}; passport_sign_in.sig=${browser.cookie('passport_sign_in.sig')}`;
        const form = () => ({ method: 'POST', body: new URLSearchParams({ ...ADMIN, csrf }), headers: { cookie } });
        const busy = await ask(`${url.pathname}?ui_locales=de`, form());
        expect(busy.headers.get('retry-after')).toBe('2');
        const text = await expectPage(busy, 503, 'Bitte warten Sie einen Moment');
        expect(text).toContain('Bitte warten Sie 2 Sekunden');
        expect(text).toContain(`<a class="button" href="${url.pathname}">`);
        const asProgram = await ask(url.pathname, { ...form(), headers: { cookie, accept: '*/*' } });
        expect([asProgram.status, (await asProgram.json()) as object]).toEqual([503, { code: 'unavailable', message: 'Too many sign-ins at once', requestId: expect.any(String) }]);
      } finally {
        await emptyQueue();
      }
    });

    it('is a page for what is too large, is no form, is not there, and fails on our side', async () => {
      await expectPage(await ask('/passportsvc/sign-in/none', { method: 'POST', body: new URLSearchParams({ email: 'x'.repeat(2_000_000) }) }), 413, 'Das war zu viel');
      await expectPage(await ask('/passportsvc/sign-in/none', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }), 400, 'Das lässt sich nicht beantworten');
      await expectPage(await ask('/passportsvc/sign-in/none?ui_locales=de%00'), 400, 'Das lässt sich nicht beantworten');
      const form = new URLSearchParams({ client_id: 'console', state: 'x'.repeat(100_000) });
      const refused = await ask('/passportsvc/api/v2/oauth/authorize', { method: 'POST', body: form });
      expect([refused.status, headingOf({ text: await refused.text() } as never), refused.headers.get('content-security-policy')]).toEqual([413, 'Diese Anmeldung geht nicht weiter', POLICY]);
      const missing = await expectPage(await ask('/passportsvc/accounts/nothing?a=<b>'), 404, 'Diese Seite gibt es nicht');
      expect(missing).toContain('href="/passportsvc/accounts/nothing?a=%3Cb%3E&amp;ui_locales=en"');
      await query(passport, 'ALTER TABLE password_reset RENAME TO password_reset_away');
      const failed = await ask('/passportsvc/accounts/resets/token').finally(() => query(passport, 'ALTER TABLE password_reset_away RENAME TO password_reset'));
      expect(await expectPage(failed, 500, 'Etwas ist schiefgegangen')).not.toContain('password_reset');
    });

    it('asks to wait, and is not over, while the store does not answer', async () => {
      const { browser, page } = await openPage();
      const holder = new Client({ connectionString: passport.database.url });
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE oidc_state IN ACCESS EXCLUSIVE MODE');
      // Every connection waits, as on a machine that is too busy.
      const waiting = Array.from({ length: 40 }, () => query(passport, 'SELECT FROM oidc_state').catch(() => undefined));
      try {
        const token = { grant_type: 'authorization_code', code: 'any', client_id: 'console', redirect_uri: REDIRECT_URI, code_verifier: newVerifier() };
        const [form, request, exchanged] = await Promise.all([browser.fill(page, ADMIN), ask(authorizeUrl(newVerifier())), exchange(passport.baseUrl, token)]);
        expect([form.status, form.headers.get('retry-after'), form.text.includes('This sign-in has ended')]).toEqual([503, '1', false]);
        expect([request.status, request.headers.get('retry-after'), headingOf({ text: await request.text() } as never)]).toEqual([503, '1', 'Bitte warten Sie einen Moment']);
        expect([exchanged.status, exchanged.headers.get('retry-after'), (await exchanged.json()) as object]).toEqual([503, '1', expect.objectContaining({ error: 'server_error' })]);
      } finally {
        await holder.end();
        await Promise.all(waiting);
      }
      expect((await browser.fill(page, ADMIN)).status).toBe(303);
    });

    it('is JSON where no page was asked for, and always for the API', async () => {
      for (const [path, accept] of [['/passportsvc/sign-in/none/none', '*/*'], ['/passportsvc/sign-in/none/none', 'application/json, text/html;q=0'], ['/passportsvc/api/v1/accounts/none', PAGE.accept], ['/passportsvc/api/v1/users/me', PAGE.accept]] as const) {
        const response = await ask(path, { headers: { accept } });
        expect([response.headers.get('content-type'), Object.keys((await response.json()) as object)]).toEqual([expect.stringContaining('application/json'), expect.arrayContaining(['message', 'code', 'requestId'])]);
      }
    });
  });
});
