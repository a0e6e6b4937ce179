import type { Browser } from 'playwright-core';
import { TEXTS } from '../src/pages/texts';
import { LANGUAGES } from '../src/pages/texts/language';
import { newVerifier } from './browser';
import { inChromium, Inspector, launch } from './chromium';
import { fillQueue } from './pages';
import { ADMIN, type PassportApp, startPassport } from './passport-app';
import { authorizeUrl } from './sign-in';

inChromium('what a browser shows at the edges', (test) => {
  let passport: PassportApp;
  let browser: Browser;
  let inspector: Inspector;
  beforeAll(async () => {
    passport = await startPassport();
    browser = await launch();
    inspector = await Inspector.open(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await passport?.stop();
  });

  for (const language of LANGUAGES) {
    const texts = TEXTS[language];

    test(`is a page that asks before an application signs somebody out (${language})`, async () => {
      const context = await browser.newContext({ javaScriptEnabled: false, locale: language, viewport: { width: 390, height: 844 } });
      const page = await context.newPage();
      const heading = () => page.getByRole('heading', { level: 1 }).innerText();
      await page.goto(`${passport.baseUrl}/passportsvc/api/accounts`);
      await page.getByRole('link', { name: texts.page.signIn }).click();
      await page.getByLabel(texts.fields.email).fill(ADMIN.email);
      await page.getByLabel(texts.fields.password).fill(ADMIN.password);
      await page.getByRole('button', { name: texts.page.signIn, exact: true }).click();
      expect(await heading()).toBe(texts.account.title);
      await page.goto(`${passport.baseUrl}/passportsvc/api/v1/oauth/end_session?client_id=console`);
      expect(await heading()).toBe(texts.signOut.title);
      await inspector.look(`sign-out ${language}`, page);
      await page.getByRole('button', { name: texts.account.signOut, exact: true }).click();
      expect(await heading()).toBe(texts.signedOut.title);
      await inspector.look(`browser-signed-out ${language}`, page);
      await page.goto(`${passport.baseUrl}/passportsvc/api/accounts`);
      expect(await page.getByRole('link', { name: texts.page.signIn }).isVisible()).toBe(true);
      await context.close();
      expect(inspector.faults.splice(0)).toEqual([]);
    });

    test(`is a page that leads on: too many sign-ins wait, there is no such page (${language})`, async () => {
      const context = await browser.newContext({ javaScriptEnabled: false, locale: language, viewport: { width: 390, height: 844 } });
      const page = await context.newPage();
      const heading = () => page.getByRole('heading', { level: 1 }).innerText();
      const signIn = async () => {
        await page.getByLabel(texts.fields.email).fill(ADMIN.email);
        await page.getByLabel(texts.fields.password).fill('wrong password');
        await page.getByRole('button', { name: texts.page.signIn, exact: true }).click();
      };
      await page.goto(passport.baseUrl + authorizeUrl(newVerifier()));
      const emptyQueue = fillQueue(passport);
      await signIn().finally(emptyQueue);
      expect(await heading()).toBe(texts.errors.busyTitle);
      await inspector.look(`too-busy ${language}`, page);
      await page.getByRole('link', { name: texts.errors.again }).click();
      expect(await heading()).toBe(texts.signIn.title);
      await signIn();
      expect(await page.getByRole('alert').innerText()).toBe(texts.problems.wrongPassword);
      await page.goto(`${passport.baseUrl}/passportsvc/accounts/none`);
      expect(await heading()).toBe(texts.errors.missingTitle);
      await inspector.look(`missing ${language}`, page);
      await context.close();
      expect(inspector.faults.splice(0)).toEqual([]);
    });
  }
});
