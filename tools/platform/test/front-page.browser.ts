import type { Browser, BrowserContext, Page } from 'playwright-core';
import { inChromium, launch } from '@twinyard/testing/chromium';
import { Inspector } from '@twinyard/testing/page-inspector';
import { RunningPlatform } from './running-platform';

/** An operation of the reference. */
const ME = '/reference#tag/users/GET/passportsvc/api/v1/users/me';
const tryButton = (page: Page) => page.getByRole('button', { name: /^Test Request.*users\/me\)?$/ });
const sendButton = (page: Page) => page.getByRole('button', { name: /^Send get request/ });

inChromium('the front of the platform in a browser', (test) => {
  let platform: RunningPlatform;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** What the console of a browser shows as a fault, and answers that are one. */
  const faults: string[] = [];

  beforeAll(async () => {
    [platform, browser] = await Promise.all([RunningPlatform.start(), launch()]);
    context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    page = await context.newPage();
    page.on('console', (message) => void (message.type() === 'error' && faults.push(`console: ${message.text()}`)));
    page.on('pageerror', ({ message }) => void faults.push(`error: ${message}`));
    page.on('requestfailed', (request) => void faults.push(`failed: ${request.url()}`));
    page.on('response', (response) => void (response.status() >= 400 && faults.push(`${response.status()}: ${response.url()}`)));
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.remove();
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));

  const pathOf = () => new URL(page.url()).pathname;

  test('is whole in light and dark, on a phone and on a desktop, and so is each guide', async () => {
    const inspector = await Inspector.open(browser);
    await page.goto(platform.baseUrl);
    await inspector.look('front', page);
    expect(await page.evaluate(`document.querySelector('main img').naturalWidth`)).toBe(640);
    const guides: string[] = await page.evaluate(`[...new Set([...document.querySelectorAll('main a[href^="/guides/"]')].map((link) => link.pathname))]`);
    expect(guides.length).toBeGreaterThan(3);
    for (const guide of guides) {
      await page.goto(platform.baseUrl + guide);
      await inspector.look(guide.slice(1).replace('/', ' '), page);
    }
    expect(inspector.faults).toEqual([]);
  });

  test('leads through sign-in to one\'s account', async () => {
    await page.goto(platform.baseUrl);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail address').fill(platform.admin.email);
    await page.getByLabel('Password').fill(platform.admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname === '/passportsvc/api/accounts');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Your account');
    expect(pathOf()).toBe('/passportsvc/api/accounts');
  });

  test('has a reference of all operations, in light and dark, on a phone and on a desktop', async () => {
    const inspector = await Inspector.open(browser);
    await inspector.lookAlive('reference', `${platform.baseUrl}/reference`, (one) => one.getByRole('heading', { name: 'Twinyard', level: 1 }).waitFor());
    expect(inspector.faults).toEqual([]);
  });

  test('shows one operation of it as whole as that', async () => {
    const inspector = await Inspector.open(browser);
    await inspector.lookAlive('reference operation', `${platform.baseUrl}${ME}`, (one) => tryButton(one).waitFor());
    expect(inspector.faults).toEqual([]);
  });

  test('has a window for a request that is as whole', async () => {
    const inspector = await Inspector.open(browser);
    await inspector.lookAlive('reference request', `${platform.baseUrl}${ME}`, async (one) => {
      await tryButton(one).click();
      await sendButton(one).waitFor();
    });
    expect(inspector.faults).toEqual([]);
  });

  test('tries an operation with the token of whoever is signed in', async () => {
    const inspector = await Inspector.open(browser);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${platform.baseUrl}/reference`);
    const closed = page.waitForEvent('popup').then((popup) => popup.waitForEvent('close'));
    await page.getByRole('button', { name: 'Authorize' }).click();
    await closed;
    await page.getByText('Access Token').first().waitFor();
    await inspector.photograph(page, 'reference signed in');
    await page.goto(`${platform.baseUrl}${ME}`);
    await tryButton(page).click();
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/passportsvc/api/v1/users/me');
    await sendButton(page).click();
    const answer = await answered;
    await inspector.photograph(page, 'reference tried');
    expect([answer.status(), ((await answer.json()) as { _email: string })._email]).toEqual([200, platform.admin.email]);
  });
});
