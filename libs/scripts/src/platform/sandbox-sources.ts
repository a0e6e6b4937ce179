import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Each as a literal: images are made of what compiled files name. */
const FILES = {
  './base64.mjs': join(__dirname, 'sandbox', 'base64.mjs'),
  './calls.mjs': join(__dirname, 'sandbox', 'calls.mjs'),
  './clocks.mjs': join(__dirname, 'sandbox', 'clocks.mjs'),
  './context.mjs': join(__dirname, 'sandbox', 'context.mjs'),
  './dates.mjs': join(__dirname, 'sandbox', 'dates.mjs'),
  './files.mjs': join(__dirname, 'sandbox', 'files.mjs'),
  './items.mjs': join(__dirname, 'sandbox', 'items.mjs'),
  './object-ids.mjs': join(__dirname, 'sandbox', 'object-ids.mjs'),
  './platform.mjs': join(__dirname, 'sandbox', 'platform.mjs'),
  './tables.mjs': join(__dirname, 'sandbox', 'tables.mjs'),
};
const PRELUDE = join(__dirname, 'sandbox', 'prelude.mjs');
const TYPES = [join(__dirname, 'script-types.d.ts'), join(__dirname, 'script-libraries.d.ts')];

export interface SandboxSources {
  readonly prelude: string;
  readonly modules: Readonly<Record<string, string>>;
}

let sources: SandboxSources | undefined;

/** What of `libraries` and `ctx` runs in the sandbox, real files of JavaScript; read once. */
export const sandboxSources = (): SandboxSources => (sources ??= {
  prelude: textOf(PRELUDE), modules: Object.fromEntries(Object.entries(FILES).map(([name, file]) => [name, textOf(file)])),
});

/** Declarations of all that a script is given, for its author's tools. */
export const scriptTypes = (): string => TYPES.map(textOf).join('\n');

const textOf = (file: string) => readFileSync(file, 'utf8');
