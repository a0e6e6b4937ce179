import { eventually } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import { type PassportApp, startPassport } from './passport-app';
import { newVerifier } from './browser';
import { headingOf, linkTo, mailTo, query, Visitor } from './pages';
import { authorizeUrl, signInAt } from './sign-in';
import { confirmAddress, manager, send } from './tenancy';

const PASSWORD = 'a long enough one';
const sent = (mail: FakeMailServer, email: string) => mail.count(({ to }) => to?.[0]?.address === email);

describe('signing up on the page', () => {
  let mail: FakeMailServer;
  let passport: PassportApp;
  beforeAll(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url });
  });
  afterAll(async () => {
    await passport?.stop();
    await mail?.stop();
  });

  const openForm = async (visitor: Visitor) => visitor.get(visitor.link(await visitor.open(), '/sign-up'));
  const signUp = async (visitor: Visitor, email: string, values: Record<string, string> = {}) =>
    visitor.submit(await openForm(visitor), '/sign-up', { email, password: PASSWORD, firstname: 'Ada', lastname: 'L', ...values });

  it('leads from the sign-in page over the link of a mail back into the application', async () => {
    const visitor = new Visitor(passport);
    const waiting = await signUp(visitor, 'Ada@Example.com');
    expect([waiting.status, headingOf(waiting)]).toEqual([200, 'Check your mail']);
    const tooEarly = await visitor.submit(waiting, '/sign-up/confirmed');
    expect(tooEarly.text).toContain('The address is not confirmed yet');
    const link = await linkTo(mail, 'ada@example.com', 'Confirm your e-mail address');
    const confirmed = await fetch(link, { method: 'POST' });
    expect(confirmed.status).toBe(200);
    const tokens = await visitor.tokens(await visitor.submit(tooEarly, '/sign-up/confirmed'));
    const me = await send(passport, 'GET', '/users/me', tokens.access_token);
    expect(me.body).toMatchObject({ _email: 'ada@example.com', _firstname: 'Ada', _lastname: 'L', _locale: 'en', _emailVerified: true });
  });

  it('lets nobody in who was put out before the mail was opened', async () => {
    const visitor = new Visitor(passport);
    const waiting = await signUp(visitor, 'put.out@example.com');
    await fetch(await linkTo(mail, 'put.out@example.com', 'Confirm your e-mail address'), { method: 'POST' });
    await query(passport, `UPDATE app_user SET disabled = true WHERE email = 'put.out@example.com'`);
    const refused = await visitor.submit(waiting, '/sign-up/confirmed');
    expect([refused.location, headingOf(refused)]).toEqual([undefined, 'Check your mail']);
  });

  it('leads back into the sign-in from the confirmed page, and in no other browser', async () => {
    const visitor = new Visitor(passport);
    await signUp(visitor, 'back@example.com');
    const confirmed = await (await fetch(await linkTo(mail, 'back@example.com', 'Confirm'), { method: 'POST' })).text();
    const back = /href="(\/passportsvc\/sign-in\/[^"?]+)"/.exec(confirmed)?.[1] ?? '';
    expect(headingOf(await visitor.get(back))).toBe('Sign in');
    expect((await new Visitor(passport).get(back)).status).toBe(400);
  });

  it('tells nobody whether there is an account: the page is the same, the mail tells its owner', async () => {
    await send(passport, 'POST', '/accounts', undefined, { _email: 'known@example.com', _password: PASSWORD, _locale: 'de' });
    const pages = await Promise.all(['known@example.com', 'fresh@example.com'].map(async (email) => {
      const waiting = await signUp(new Visitor(passport), email, { password: 'another long one' });
      return { status: waiting.status, text: waiting.text.replaceAll(email, '').replace(/sign-in\/[\w-]+/g, '').replace(/value="[^"]*"/g, '') };
    }));
    expect(pages[0]).toEqual(pages[1]);
    expect((await mailTo(mail, 'known@example.com', 'Sie haben schon ein Konto')).text).not.toMatch(/resets|confirmations/);
    expect((await signInAt(new Visitor(passport).browser, authorizeUrl(newVerifier()), { email: 'known@example.com', password: 'another long one' })).status).toBe(401);
  });

  it('does not flood the owner of a known address with mails', async () => {
    const email = 'flooded@example.com';
    await send(passport, 'POST', '/accounts', undefined, { _email: email, _password: PASSWORD });
    const visitor = new Visitor(passport);
    const form = await openForm(visitor);
    for (let tries = 0; tries < 8; tries += 1) expect(headingOf(await visitor.submit(form, '/sign-up', { email, password: PASSWORD }))).toBe('Check your mail');
    await eventually(async () => expect(await query(passport, `SELECT id FROM job WHERE kind = 'passportsvc.mail'`)).toEqual([]));
    expect(mail.count(({ to, subject }) => to?.[0]?.address === email && subject.startsWith('You have an account'))).toBeLessThan(8);
  });

  it('lets nobody go on who did not sign up in this browser, with whatever account', async () => {
    const other = await send(passport, 'POST', '/accounts', undefined, { _email: 'victim@example.com', _password: PASSWORD });
    await confirmAddress(passport, 'victim@example.com');
    const visitor = new Visitor(passport);
    const waiting = await signUp(visitor, 'mallory@example.com');
    const stolen = await visitor.submit(waiting, '/sign-up/confirmed', { account: other.body._id as string });
    expect([stolen.status, headingOf(stolen)]).toEqual([403, 'Create an account']);
  });

  it('names every fault at its field, keeps what was entered but the password, and holds the rules of the API', async () => {
    const visitor = new Visitor(passport);
    const faulty = await signUp(visitor, 'nobody', { password: 'short', firstname: '<i>', lastname: 'x'.repeat(129) });
    expect(faulty.status).toBe(400);
    for (const name of ['email', 'password', 'lastname']) {
      expect(faulty.text).toContain(`<li><a href="#${name}">`);
      expect(faulty.text).toMatch(new RegExp(`<input id="${name}"[^>]* aria-invalid="true" aria-describedby="[^"]*${name}-problem"`));
    }
    expect(faulty.text).toContain('value="&lt;i&gt;"');
    expect(faulty.text).not.toContain('value="short"');
    for (const password of ['password1', 'common@example.com']) expect((await signUp(new Visitor(passport), 'common@example.com', { password })).status).toBe(400);
    expect((await signUp(visitor, 'forged@example.com', { csrf: 'guess' })).status).toBe(403);
    expect(sent(mail, 'forged@example.com')).toBe(0);
  });

  it('is slowed down as through the API, and is switched off with it', async () => {
    const [strict, closed] = await Promise.all([startPassport({ SIGN_UPS_PER_MINUTE: 1 }), startPassport({ SIGN_UP: 'off' })]);
    const visitor = new Visitor(strict);
    const form = await visitor.get(visitor.link(await visitor.open(), '/sign-up'));
    const statuses = [];
    for (const email of ['a@example.com', 'b@example.com']) statuses.push(await visitor.submit(form, '/sign-up', { email, password: PASSWORD }));
    expect(statuses.map(({ status }) => status)).toEqual([200, 429]);
    expect(Number(statuses[1]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const shut = new Visitor(closed);
    const page = await shut.open();
    expect(page.text).not.toContain('/sign-up');
    const path = /action="([^"]+)"/.exec(page.text)?.[1] ?? '';
    expect((await shut.get(`${path}/sign-up`)).status).toBe(403);
    expect((await shut.browser.submit(`${path}/sign-up`, { csrf: /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '', email: 'c@example.com', password: PASSWORD })).status).toBe(403);
    await Promise.all([strict.stop(), closed.stop()]);
  });

  it('is for invited addresses alone where it is limited to them, and the page does not say which', async () => {
    const limited = await startPassport({ SIGN_UP: 'invited', SMTP_URL: mail.url });
    await (await manager(limited)).post('/organizations', { _name: 'Guild', _orgOwner: 'owner@guild.example' });
    const pages = [];
    for (const email of ['stranger@guild.example', 'owner@guild.example']) {
      const visitor = new Visitor(limited);
      const form = await visitor.get(visitor.link(await visitor.open(), '/sign-up'));
      expect(form.text).toContain('Accounts are made by invitation here');
      pages.push(await visitor.submit(form, '/sign-up', { email, password: PASSWORD }));
    }
    expect(pages.map((page) => [page.status, headingOf(page)])).toEqual([[200, 'Check your mail'], [200, 'Check your mail']]);
    await mailTo(mail, 'owner@guild.example', 'Confirm');
    const overApi = async (email: string) => (await send(limited, 'POST', '/accounts', undefined, { _email: email, _password: PASSWORD })).status;
    expect([await overApi('stranger@guild.example'), await overApi('owner@guild.example')]).toEqual([403, 409]);
    await eventually(async () => expect((await query(limited, `SELECT id FROM job WHERE kind = 'passportsvc.mail'`)).length).toBe(0));
    expect(sent(mail, 'stranger@guild.example')).toBe(0);
    await limited.stop();
  });
});
