import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');

/**
 * Whether `path`, relative to the repository, can be used. What lies outside it may change at any time: a file that
 * `tools/checks/known-data.json` names is there when it is the one that tests were written for (its SHA-256), and not when it is another.
 */
export function isAtHand(path: string, root = ROOT): boolean {
  const file = resolve(root, path);
  if (!existsSync(file)) return false;
  const known = (JSON.parse(readFileSync(join(root, 'tools/checks/known-data.json'), 'utf8')) as Readonly<Record<string, string>>)[path];
  return known === undefined || createHash('sha256').update(readFileSync(file)).digest('hex') === known;
}

/** Where a file of `../shared/data` lies; `undefined` where it is not at hand. */
export function sharedData(name: string): string | undefined {
  const path = `../shared/data/${name}`;
  return isAtHand(path) ? resolve(ROOT, path) : undefined;
}
