import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** The narrowest that WCAG 2.2 asks for (1.4.10), a phone as people have it, which is laid out the same, and a desktop. */
const WIDTHS = { narrow: 320, phone: 390, desktop: 1280 } as const;
/** Of pages that others wrote. */
const ALIVE_WIDTHS = { phone: 390, desktop: 1280 } as const;
// Runs in the browser, which this project has no types of.
const violationsOf = (rules: string) => `axe.run(document, { resultTypes: ['violations'], ${rules} })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;
/** Of the scheme that is looked at first, and of the other, which has other colours and is the same otherwise. */
const EVERY_RULE = violationsOf('');
const RULES_OF_COLOUR = violationsOf("runOnly: ['color-contrast', 'link-in-text-block']");
const SCHEMES = [['light', EVERY_RULE], ['dark', RULES_OF_COLOUR]] as const;

export interface Fault {
  readonly where: string;
  readonly what: string;
}

/**
 * Looks at pages as they are rendered, in light and dark, on phones and on a desktop: axe judges the narrowest width and the desktop.
 * It needs scripts, which the pages forbid; so it gets what the browser without scripts has got, in a context of its own that does not hold the policy.
 */
export class Inspector {
  readonly faults: Fault[] = [];
  readonly seen = new Set<string>();

  private constructor(private readonly context: BrowserContext, private readonly screenshots: string | undefined) {}

  /** `SCREENSHOTS` names a folder for pictures of all pages. */
  static async open(browser: Browser): Promise<Inspector> {
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    return new Inspector(await browser.newContext({ bypassCSP: true }), folder);
  }

  async look(name: string, page: Page): Promise<void> {
    // A click is over when its answer begins to come: what there is of the page by then may be a part.
    await page.waitForLoadState();
    const [html, url] = [await page.content(), page.url()];
    this.seen.add(name);
    const copy = await this.context.newPage();
    await copy.route(url, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }));
    await copy.goto(url);
    await copy.addScriptTag({ content: axe.source });
    for (const [device, width] of Object.entries(WIDTHS)) {
      await copy.setViewportSize({ width, height: 800 });
      for (const [colorScheme, violations] of SCHEMES) {
        await copy.emulateMedia({ colorScheme });
        await this.photograph(copy, `${name} ${device} ${colorScheme}`);
        if (device !== 'phone') await this.judge(copy, `${name} ${device} ${colorScheme}`, violations);
      }
      await this.measure(copy, `${name} ${device}`);
    }
    await copy.close();
  }

  /** The same of a page that is nothing without its scripts: opened anew in each form, ready when `isThere` says so, and judged in each by every rule. */
  async lookAlive(name: string, url: string, isThere: (page: Page) => Promise<void>): Promise<void> {
    this.seen.add(name);
    for (const [device, width] of Object.entries(ALIVE_WIDTHS)) {
      for (const [colorScheme] of SCHEMES) {
        const alive = await this.context.newPage();
        await alive.setViewportSize({ width, height: 844 });
        await alive.emulateMedia({ colorScheme });
        await alive.goto(url);
        await isThere(alive);
        await alive.addScriptTag({ content: axe.source });
        await this.photograph(alive, `${name} ${device} ${colorScheme}`);
        await this.judge(alive, `${name} ${device} ${colorScheme}`, EVERY_RULE);
        await this.measure(alive, `${name} ${device}`);
        await alive.close();
      }
    }
  }

  async photograph(page: Page, where: string): Promise<void> {
    if (this.screenshots !== undefined) await page.screenshot({ path: join(this.screenshots, `${where.replaceAll(' ', '-')}.png`), fullPage: true });
  }

  private async judge(page: Page, where: string, violations: string): Promise<void> {
    const found = await page.evaluate<string[]>(violations);
    this.faults.push(...found.map((what) => ({ where, what })));
  }

  /** WCAG 2.2, 1.4.4 and 1.4.10: nothing is cut off, nor has to be scrolled sideways, with letters of twice the size either. */
  private async measure(page: Page, where: string): Promise<void> {
    for (const size of ['200%', '100%']) {
      const overflow = await page.evaluate<number>(`(document.documentElement.style.fontSize = '${size}', document.documentElement.scrollWidth - document.documentElement.clientWidth)`);
      if (overflow > 0) this.faults.push({ where: `${where}, letters of ${size}`, what: `${overflow} pixels wider than the window` });
    }
  }
}
