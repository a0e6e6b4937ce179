import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { TEXTS } from '../src/pages/texts';
import { type Language, LANGUAGES } from '../src/pages/texts/language';
import { startApplicationPage } from './application-page';
import { registerApp } from './applications';
import { newVerifier } from './browser';
import { inChromium, Inspector, launch } from './chromium';
import { linkTo, mailTo, query } from './pages';
import { type PassportApp, startPassport } from './passport-app';
import { authorizeUrl } from './sign-in';
import { confirmAddress, manager, newPerson, newTenant, type Tenant } from './tenancy';

const PASSWORD = 'a long enough one';
const NEW = 'another long enough one';
const ACCOUNT = '/passportsvc/api/accounts';

inChromium('the pages in a browser without scripts', (test) => {
  let mail: FakeMailServer;
  let passport: PassportApp;
  let application: Server;
  let browser: Browser;
  let inspector: Inspector;
  let house: Tenant;
  let plans: { readonly id: string; readonly redirectUri: string };
  const reached: string[] = [];
  let unique = 0;

  beforeAll(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url });
    application = await startApplicationPage(reached);
    const redirectUri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
    plans = { id: (await registerApp(passport, { firstParty: false, name: 'Plans', redirectUris: [redirectUri] })).id, redirectUri };
    house = await newTenant(passport, 'House');
    browser = await launch();
    inspector = await Inspector.open(browser);
  });
  afterAll(async () => {
    await browser?.close();
    application?.close();
    await passport?.stop();
    await mail?.stop();
  });
  afterEach(async () => {
    await query(passport, 'DELETE FROM sign_in_failure');
    expect(inspector.faults.splice(0)).toEqual([]);
  });

  const address = (name: string) => `${name}.${(unique += 1)}@example.com`;
  const contextIn = (language: Language): Promise<BrowserContext> =>
    browser.newContext({ javaScriptEnabled: false, locale: language, viewport: { width: 390, height: 844 } });
  const signInUrl = (changes: Record<string, string> = {}) => passport.baseUrl + authorizeUrl(newVerifier(), { client_id: plans.id, redirect_uri: plans.redirectUri, ...changes });
  /** Until its answer is there as a whole: a click is over when it begins to come. */
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click().then(() => page.waitForLoadState());
  /** It was sent on to the application, whose page is there as a whole. */
  const arrives = async (page: Page) => {
    await page.waitForURL((url) => url.href.startsWith(plans.redirectUri));
    expect(await page.title()).toBe('The application');
  };
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();
  const fillNewAccount = async (page: Page, texts: (typeof TEXTS)[Language], email: string | undefined, password: string) => {
    const { fields, signUp } = texts;
    if (email !== undefined) await page.getByLabel(fields.email).fill(email);
    await page.getByLabel(fields.password).fill(password);
    await page.getByLabel(fields.firstname).fill('Ada');
    await press(page, signUp.submit);
  };
  const signIn = async (page: Page, texts: (typeof TEXTS)[Language], email: string, password = PASSWORD) => {
    await page.getByLabel(texts.fields.email).fill(email);
    await page.getByLabel(texts.fields.password).fill(password);
    await press(page, texts.page.signIn);
  };

  for (const language of LANGUAGES) {
    const texts = TEXTS[language];
    const look = (name: string, page: Page) => inspector.look(`${name} ${language}`, page);

    test(`lead from sign-up over the mail and consent into the application, and sign in again (${language})`, async () => {
      const context = await contextIn(language);
      const page = await context.newPage();
      const email = address('ada');
      await page.goto(signInUrl());
      await look('sign-in', page);
      await signIn(page, texts, email, 'wrong password');
      expect(await page.locator(':focus').getAttribute('id')).toBe('problem');
      await look('sign-in-refused', page);
      await page.getByRole('link', { name: texts.signIn.signUp }).click();
      await look('sign-up', page);
      await fillNewAccount(page, texts, 'ada@example', 'short');
      expect(await page.getByLabel(texts.fields.password).getAttribute('aria-describedby')).toBe('password-hint password-problem');
      await look('sign-up-faulty', page);
      await fillNewAccount(page, texts, email, PASSWORD);
      await look('waiting', page);
      await press(page, texts.waiting.submit);
      await look('waiting-too-early', page);

      const mailed = await context.newPage();
      await mailed.goto(await linkTo(mail, email, texts.mails.confirmation.subject));
      await look('confirmation', mailed);
      await press(mailed, texts.confirmation.submit);
      await look('confirmed', mailed);

      await press(page, texts.waiting.submit);
      expect(await heading(page)).toBe(texts.consent.title);
      await look('consent', page);
      await press(page, texts.consent.allow);
      await arrives(page);
      expect(new URL(page.url()).searchParams.get('code')).toEqual(expect.any(String));

      const again = await (await contextIn(language)).newPage();
      await again.goto(signInUrl());
      await signIn(again, texts, email);
      await press(again, texts.consent.deny);
      expect(new URL(again.url()).searchParams.get('error')).toBe('access_denied');
      await Promise.all([context.close(), again.context().close()]);
    });

    test(`let people look after their account (${language})`, async () => {
      const person = await newPerson(passport, 'Ann');
      await person.post('/users/me/accesskeys', { _name: 'Nightly import of the readings', _expireTime: Date.now() + 86_400_000 });
      const context = await contextIn(language);
      const page = await context.newPage();
      await page.goto(`${passport.baseUrl}${ACCOUNT}?returnUrl=${encodeURIComponent(plans.redirectUri)}`);
      await look('account-signed-out', page);
      await page.getByRole('link', { name: texts.page.signIn }).click();
      await signIn(page, texts, person.email);
      expect(await heading(page)).toBe(texts.account.title);
      await look('account', page);
      await page.getByLabel(texts.fields.firstname).fill('Anna');
      await page.getByRole('combobox', { name: texts.fields.locale }).selectOption(language);
      await press(page, texts.account.save);
      await look('account-saved', page);
      await page.getByLabel(texts.fields.currentPassword).fill('wrong password');
      await page.getByLabel(texts.fields.newPassword).fill(NEW);
      await press(page, texts.account.changePassword);
      await look('account-faulty', page);
      await page.getByLabel(texts.fields.currentPassword).fill(PASSWORD);
      await page.getByLabel(texts.fields.newPassword).fill(NEW);
      await press(page, texts.account.changePassword);
      expect(await page.getByRole('status').innerText()).toBe(texts.account.done.password);
      await press(page, texts.account.confirmAgain);
      await linkTo(mail, person.email, texts.mails.confirmation.subject);
      await page.getByRole('button', { name: texts.account.deleteKeyNamed('Nightly import of the readings') }).click();
      await page.getByText(texts.account.noKeys).waitFor();
      await page.getByLabel(texts.account.keyName).fill('Readings of the roof');
      await press(page, texts.account.makeKey);
      await look('account-key', page);
      await press(page, texts.account.signOutEverywhere);
      await look('signed-out', page);
      await page.getByRole('link', { name: texts.account.back(new URL(plans.redirectUri).host) }).click();
      await arrives(page);
      await context.close();
    });

    test(`give back a forgotten password by mail (${language})`, async () => {
      const person = await newPerson(passport, 'Rita');
      const context = await contextIn(language);
      const page = await context.newPage();
      await page.goto(signInUrl({ ui_locales: language }));
      await page.getByRole('link', { name: texts.signIn.forgotten }).click();
      await look('reset', page);
      await page.getByLabel(texts.fields.email).fill(person.email);
      await press(page, texts.reset.submit);
      await look('reset-sent', page);
      const link = await linkTo(mail, person.email, texts.mails.reset.subject);
      await page.goto(link);
      await look('new-password', page);
      await page.getByLabel(texts.fields.newPassword).fill('short');
      await press(page, texts.reset.set);
      await look('new-password-faulty', page);
      await page.getByLabel(texts.fields.newPassword).fill(NEW);
      await press(page, texts.reset.set);
      await look('password-set', page);
      await page.goto(link);
      await look('link-used', page);
      await page.goto(`${passport.baseUrl}${ACCOUNT}`);
      await page.getByRole('link', { name: texts.page.signIn }).click();
      await signIn(page, texts, person.email, NEW);
      expect(await heading(page)).toBe(texts.account.title);
      await context.close();
    });

    test(`lead from an invite's mail into the group (${language})`, async () => {
      const web = new URL(plans.redirectUri).origin;
      await house.owner.put(`/apps/${house.app._id}`, { _redirectUris: `${web}/callback` });
      const group = (await house.inApp.post('/usergroups', [{ _name: 'Planners' }])).body._list[0] as { _id: string };
      const invite = async (email: string) => (await house.inApp.post(`/usergroups/${group._id}/invites`, [{ _email: email, _params: { base_url: web, invite_link: '/join', inviter_name: 'Otto' } }])).body._list[0]._id as string;
      const email = address('nina');
      const inviteId = await invite(email);
      const context = await contextIn(language);
      const page = await context.newPage();
      const { html } = await mailTo(mail, email, 'House Tester invites');
      await page.goto(/href="([^"]+)"/.exec(html ?? '')?.[1]?.replaceAll('&amp;', '&') ?? '');
      // The application takes the id out of its address, and sends its visitor on.
      expect(new URL(page.url()).searchParams.get('inviteId')).toBe(inviteId);
      await page.goto(signInUrl({ inviteId }));
      await look('sign-in-invited', page);
      await page.getByRole('link', { name: texts.signIn.signUp }).click();
      await look('sign-up-invited', page);
      await fillNewAccount(page, texts, undefined, PASSWORD);
      await fetch(await linkTo(mail, email, texts.mails.confirmation.subject), { method: 'POST' });
      await press(page, texts.waiting.submit);
      await look('invite', page);
      await press(page, texts.invite.accept);
      await press(page, texts.consent.allow);
      await arrives(page);
      expect((await house.inApp.get(`/usergroups/${group._id}/users`)).body._list.map(({ _email }: { _email: string }) => _email)).toContain(email);

      await page.goto(signInUrl({ inviteId: await invite(address('somebody.else')) }));
      await look('invite-of-somebody-else', page);
      const person = await newPerson(passport, 'Ulf');
      const other = await (await contextIn(language)).newPage();
      await other.goto(signInUrl({ inviteId: await invite(person.email) }));
      await signIn(other, texts, person.email);
      await look('invite-unconfirmed', other);
      await press(other, texts.invite.sendMail);
      await look('invite-mailed', other);
      await confirmAddress(passport, person.email);
      await press(other, texts.waiting.submit);
      expect(await other.getByRole('button', { name: texts.invite.accept }).isVisible()).toBe(true);
      await Promise.all([context.close(), other.context().close()]);
    });

    test(`let an owner in, and say what went wrong (${language})`, async () => {
      const admin = await manager(passport);
      await admin.put(`/users/${admin.id}`, { _locale: language });
      const [email, known] = [address('owner'), address('known')];
      for (const owner of [email, known]) await admin.post('/organizations', { _name: `Guild ${owner}`, _orgOwner: owner });
      const context = await contextIn(language);
      const page = await context.newPage();
      await page.goto(await linkTo(mail, email, texts.mails.owner.subject(`Guild ${email}`)));
      await look('new-owner', page);
      await fillNewAccount(page, texts, undefined, PASSWORD);
      await look('welcome', page);
      await fetch(`${passport.baseUrl}/passportsvc/api/v1/accounts`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ _email: known, _password: PASSWORD }) });
      await page.goto(await linkTo(mail, known, texts.mails.owner.subject(`Guild ${known}`)));
      await look('claim', page);
      await page.goto(`${passport.baseUrl}/passportsvc/sign-in/none`);
      await look('sign-in-ended', page);
      await page.goto(signInUrl({ redirect_uri: 'https://evil.example/', ui_locales: language }));
      await look('oauth-error', page);
      await context.close();
    });
  }

  test('are worked by keyboard alone, and show where the focus is', async () => {
    const person = await newPerson(passport, 'Keys');
    const context = await contextIn('en');
    const page = await context.newPage();
    await page.goto(signInUrl());
    const focused = async () => ({
      name: await page.evaluate<string>('document.activeElement.id || document.activeElement.innerText'),
      outline: await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle'),
    });
    // It gets the focus when it is first drawn.
    await eventually(async () => expect(await focused()).toEqual({ name: 'email', outline: 'solid' }));
    await page.keyboard.type(person.email);
    const order = [];
    for (const _ of [1, 2, 3]) {
      await page.keyboard.press('Tab');
      order.push(await focused());
      if (order.length === 1) await page.keyboard.type(PASSWORD);
    }
    expect(order).toEqual([{ name: 'password', outline: 'solid' }, { name: 'Forgot your password?', outline: 'solid' }, { name: 'Sign in', outline: 'solid' }]);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow', exact: true }).press('Enter');
    await arrives(page);
    await context.close();
  });

  test('hold a policy that runs no script and sends no form elsewhere', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const refusals: string[] = [];
    page.on('console', (message) => refusals.push(message.text()));
    await page.goto(signInUrl());
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'document.title = "taken over"';
      document.body.append(script);
    }`);
    expect(await page.title()).toBe('Sign in · Twinyard');
    // The server of the application under a name that is none of its origins.
    const elsewhere = `${new URL(plans.redirectUri).origin.replace('127.0.0.1', 'localhost')}/stolen`;
    await page.evaluate(`{
      document.forms[0].action = '${elsewhere}';
      document.forms[0].submit();
    }`);
    await eventually(() => expect(refusals.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThanOrEqual(2));
    expect(reached).not.toContain('/stolen');
    const other = await context.newPage();
    await other.goto(elsewhere);
    expect(reached).toContain('/stolen');
    await context.close();
  });
});
