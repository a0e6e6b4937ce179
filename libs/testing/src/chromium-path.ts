import { existsSync } from 'node:fs';

const USUAL_PATHS = [
  '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable', '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Where this machine has Chromium, or what `CHROMIUM` names. */
export const chromiumPath = (): string | undefined => [process.env.CHROMIUM ?? '', ...USUAL_PATHS].find((path) => path !== '' && existsSync(path));
