import { FakeMailServer } from '@twinyard/testing/mail-server';
import type { Browser, Page } from 'playwright-core';
import { LANGUAGES, type Language } from '../src/pages/texts/language';
import { UPSTREAM_TEXTS } from '../src/upstream/upstream-texts';
import { registerApp } from './applications';
import { newVerifier } from './browser';
import { inChromium, Inspector, launch } from './chromium';
import { linkTo, query } from './pages';
import { type PassportApp, startPassport } from './passport-app';
import { authorizeUrl } from './sign-in';
import { manager, newPerson, newTenant } from './tenancy';
import { HandMadeIssuer } from './upstream-issuer';

inChromium('sign-in through an organization in a browser without scripts', (test) => {
  let mail: FakeMailServer;
  let issuer: HandMadeIssuer;
  let passport: PassportApp;
  let browser: Browser;
  let inspector: Inspector;
  let path: string;
  let signInUrl: string;
  let arrived: string;

  beforeAll(async () => {
    mail = await FakeMailServer.start();
    issuer = await HandMadeIssuer.start();
    passport = await startPassport({ UPSTREAM_ALLOW_PRIVATE: true, SMTP_URL: mail.url });
    arrived = `${issuer.url}/arrived`;
    const { organization } = await newTenant(passport, 'House');
    const app = await registerApp(passport, { name: 'Plans', orgId: organization._id, redirectUris: [arrived] });
    path = `/organizations/${organization._id}/identityproviders`;
    const made = await (await manager(passport)).post(path, { _name: 'Acme & Daughters', _issuer: issuer.url, _clientId: 'twinyard', _provision: true, _domains: ['acme.example'] });
    expect(made.status).toBe(201);
    signInUrl = passport.baseUrl + authorizeUrl(newVerifier(), { client_id: app.id, redirect_uri: arrived });
    browser = await launch();
    inspector = await Inspector.open(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await passport?.stop();
    await issuer?.stop();
    await mail?.stop();
  });
  afterEach(() => { expect(inspector.faults.splice(0)).toEqual([]); });

  const pageIn = async (language: Language): Promise<Page> => {
    const context = await browser.newContext({ javaScriptEnabled: false, locale: language, viewport: { width: 390, height: 844 } });
    return context.newPage();
  };
  const isThere = (page: Page) => page.waitForURL((url) => url.href.startsWith(arrived));

  for (const language of LANGUAGES) {
    const texts = UPSTREAM_TEXTS[language];

    test(`leads there by a button, and by an address, and back (${language})`, async () => {
      issuer.subject = { sub: `button ${language}`, email: `button-${language}@acme.example`, email_verified: true };
      const page = await pageIn(language);
      await page.goto(signInUrl);
      await page.getByText(texts.byAddress).click();
      await inspector.look(`sign-in ${language}`, page);
      await page.getByRole('link', { name: texts.with('Acme & Daughters') }).click();
      await isThere(page);

      const other = await pageIn(language);
      await other.goto(signInUrl);
      await other.getByText(texts.byAddress).click();
      await other.getByLabel(texts.address).fill('somebody@acme.example');
      await other.getByRole('button', { name: texts.goOn }).click();
      await isThere(other);
      await page.goto(`${passport.baseUrl}/passportsvc/api/accounts`);
      await inspector.look(`account ${language}`, page);
    });

    test(`asks the owner of an account, and says what went wrong (${language})`, async () => {
      const person = await newPerson(passport, 'Owner');
      await query(passport, 'UPDATE app_user SET email_verified = true, locale = NULL WHERE id = $1', [person.id]);
      await query(passport, `UPDATE identity_provider SET domains = '{}', trusted = false`);
      issuer.subject = { sub: `owner ${language}`, email: person.email, email_verified: true };
      const page = await pageIn(language);
      const button = texts.with('Acme & Daughters');
      await page.goto(signInUrl);
      await page.getByRole('link', { name: button }).click();
      await inspector.look(`ask ${language}`, page);
      await page.getByLabel(texts.password).fill('a wrong one');
      await page.getByRole('button', { name: texts.agree }).click();
      await inspector.look(`ask again ${language}`, page);
      await page.getByRole('button', { name: texts.sendMail }).click();
      await inspector.look(`mailed ${language}`, page);
      const link = await linkTo(mail, person.email, texts.linkMail.subject('Acme & Daughters'));
      await page.goto(link);
      await inspector.look(`confirm ${language}`, page);
      await page.getByRole('button', { name: texts.agree }).click();
      await isThere(page);
      issuer.misbehaviour = { claims: { nonce: 'another' } };
      const failing = await pageIn(language);
      await failing.goto(signInUrl);
      await failing.getByRole('link', { name: button }).click();
      await inspector.look(`failure ${language}`, failing);
      await failing.getByRole('link', { name: texts.back }).click();
      await failing.getByRole('link', { name: button }).waitFor();
      issuer.misbehaviour = {};
    });
  }
});
