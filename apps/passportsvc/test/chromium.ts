export { inChromium, launch } from '@twinyard/testing/chromium';
export { type Fault, Inspector } from '@twinyard/testing/page-inspector';
