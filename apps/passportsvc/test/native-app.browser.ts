import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Browser } from 'playwright-core';
import { TEXTS } from '../src/pages/texts';
import { startApplicationPage } from './application-page';
import { registerApp } from './applications';
import { newVerifier } from './browser';
import { inChromium, launch } from './chromium';
import { ADMIN, type PassportApp, startPassport } from './passport-app';
import { authorizeUrl, exchange } from './sign-in';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));
const texts = TEXTS.en;
const LOOPBACK = [['127.0.0.1', '127.0.0.1'], ...(hasIpv6 ? [['::1', '[::1]'] as const] : [])] as const;

/** RFC 8252: an application on somebody's computer opens a browser, and listens on a port that happened to be free. */
inChromium('an application that listens on a loopback address', (test) => {
  let passport: PassportApp;
  let browser: Browser;
  let clientId: string;
  let listener: Server | undefined;

  beforeAll(async () => {
    passport = await startPassport();
    clientId = (await registerApp(passport, { firstParty: false, redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback'] })).id;
    browser = await launch();
  });
  afterEach(() => listener?.close());
  afterAll(async () => {
    await browser?.close();
    await passport?.stop();
  });

  for (const [address, host] of LOOPBACK) {
    test(`gets its code at ${host} by sign-in and consent`, async () => {
      listener = await startApplicationPage([], address);
      const redirectUri = `http://${host}:${(listener.address() as AddressInfo).port}/callback`;
      const verifier = newVerifier();
      const page = await (await browser.newContext({ javaScriptEnabled: false, locale: 'en' })).newPage();
      await page.goto(passport.baseUrl + authorizeUrl(verifier, { client_id: clientId, redirect_uri: redirectUri }));
      await page.getByLabel(texts.fields.email).fill(ADMIN.email);
      await page.getByLabel(texts.fields.password).fill(ADMIN.password);
      await page.getByRole('button', { name: texts.page.signIn, exact: true }).click();
      await page.getByRole('button', { name: texts.consent.allow, exact: true }).click();
      await page.waitForURL((url) => url.href.startsWith(redirectUri));
      expect(await page.title()).toBe('The application');
      const code = new URL(page.url()).searchParams.get('code') ?? undefined;
      const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri, code, code_verifier: verifier };
      expect((await exchange(passport.baseUrl, form)).status).toBe(200);
    });
  }
});
