import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ENGINES = join(__dirname, '..', '..', 'deploy', 'engines', 'src', 'main.js');
const MOST_SAID = 200;

/** In one line of a table. */
export const lastWords = (text: string) => text.split('\n').map((line) => line.trim()).filter((line) => line !== '').join('; ').slice(0, MOST_SAID);

/** The folder of a peer that was got from npm into the cache of the engines, now or before; or why it cannot be had. */
export function installed(peer: 'pg-boss' | 'parse-server'): { readonly folder: string } | { readonly missing: string } {
  const { status, stderr } = spawnSync(process.execPath, [ENGINES, 'install', peer], { encoding: 'utf8' });
  if (status !== 0) return { missing: `not installed: ${lastWords(new RegExp(`${peer} is missing: ([^]*)`).exec(stderr)?.[1] ?? stderr)}` };
  return { folder: spawnSync(process.execPath, [ENGINES, 'path', peer], { encoding: 'utf8' }).stdout.trim() };
}

/** Of a peer in its folder. */
export const versionOf = (folder: string, peer: string): string =>
  (JSON.parse(readFileSync(join(folder, 'node_modules', peer, 'package.json'), 'utf8')) as { readonly version: string }).version;
