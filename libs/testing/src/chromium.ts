import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from './chromium-path';
import { noteSkip } from './engine-skips';

const MISSING = 'there is no Chromium; CHROMIUM names its path';
const SECONDS = 1_000;

const executable = chromiumPath();

type Test = (name: string, run: () => Promise<void>) => void;

/** A suite for a real browser. Where there is none its tests are skipped, each by name, and the run says why. */
export function inChromium(title: string, tests: (test: Test) => void): void {
  const skip: Test = (name) => {
    noteSkip({ test: `${title} ${name}`, reason: MISSING });
    it.skip(name, () => undefined);
  };
  describe(title, () => tests(executable === undefined ? skip : (name, run) => void it(name, run, 600 * SECONDS)));
}

/** For what never comes: a busy machine takes longer than the half minute that is usual. */
const PATIENCE_MS = 180 * SECONDS;

/** As root, Chromium has no sandbox to be in. */
export async function launch(): Promise<Browser> {
  const args = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  const browser = await chromium.launch({ executablePath: executable ?? '', args, timeout: PATIENCE_MS });
  return browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
}
