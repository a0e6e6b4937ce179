import { Browser, newVerifier } from './browser';
import { ADMIN, type PassportApp, startPassport } from './passport-app';
import { authorizeUrl, signInAt } from './sign-in';

describe('the sign-in page', () => {
  let passport: PassportApp;
  beforeAll(async () => { passport = await startPassport(); });
  afterAll(async () => { await passport.stop(); });

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
    let slowed = page;
    for (let attempt = 0; attempt < 12 && slowed.status !== 429; attempt += 1) {
      slowed = await browser.fill(page, target);
      statuses.push(slowed.status);
    }
    expect(statuses.slice(0, -1).every((status) => status === 401)).toBe(true);
    expect(statuses.length).toBeLessThanOrEqual(6);
    expect(slowed.status).toBe(429);
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(slowed.text).toMatch(/Please wait \d+ seconds? and try again/);
  });

  it('counts guesses that come all at once', async () => {
    const { browser, page } = await openPage();
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.fill(page, { email: 'burst@example.com', password: 'wrong' })));
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(7);
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(13);
  });
});
