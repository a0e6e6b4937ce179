import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../config';
import { withInstallLock } from './install-lock';
import { PACKAGES, type PackageName } from './catalogue';
import type { Package } from './package';
import { missingTools, runTool, ToolFailed } from './tools';

/** Why a package is not there: no tool to get it with, or the tool did not succeed (no network, most often). */
export class NotInstalled extends Error {
  constructor(readonly packageName: string, reason: string, options?: ErrorOptions) {
    super(reason, options);
  }
}

/** The folder of a package that is installed. */
export function installedFolder(name: PackageName): string | undefined {
  const folder = homeOf(PACKAGES[name]);
  return isWhole(folder) ? folder : undefined;
}

/** The folder of what is installed, for a run that waits for no download. Throws `NotInstalled`. */
export function requireInstalled(name: PackageName): string {
  requireTools(PACKAGES[name]);
  const home = homeOf(PACKAGES[name]);
  if (!isWhole(home)) throw new NotInstalled(name, `not installed (npm run engines -- install ${name} says why)`);
  return home;
}

/** Installs what is not there yet. Throws `NotInstalled`, with the reason in its first line. */
export async function install(name: PackageName, say: (line: string) => void): Promise<string> {
  const wanted: Package = PACKAGES[name];
  requireTools(wanted);
  const home = homeOf(wanted);
  if (isWhole(home)) return home;
  mkdirSync(cacheFolder(), { recursive: true });
  await withInstallLock(join(cacheFolder(), `${name}.lock`), say, () => {
    if (!isWhole(home)) installInto(home, wanted, say);
  });
  return home;
}

function requireTools(wanted: Package): void {
  const needed = isWhole(homeOf(wanted)) ? wanted.runWith : [...wanted.installWith, ...wanted.runWith];
  const missing = missingTools([...new Set(needed)]);
  if (missing.length > 0) throw new NotInstalled(wanted.name, `${missing.join(' and ')} not found`);
}

function installInto(home: string, wanted: Package, say: (line: string) => void): void {
  const began = Date.now();
  say(`installing ${wanted.name} ${wanted.version} (once; with ${wanted.installWith.join(', ')})`);
  const part = mkdtempSync(`${home}.part-`);
  try {
    wanted.install(part, runTool);
    if (!isWhole(home)) rmSync(home, { recursive: true, force: true });
    renameSync(part, home);
  } catch (cause) {
    rmSync(part, { recursive: true, force: true });
    if (isWhole(home)) return; // another run was faster
    // Not getting it is a want of this machine; that our own source does not compile is a fault.
    if (!(cause instanceof ToolFailed) || cause.program === 'javac') throw cause;
    throw new NotInstalled(wanted.name, cause.message, { cause });
  }
  say(`installed ${wanted.name} ${wanted.version} in ${((Date.now() - began) / 1_000).toFixed(0)} s`);
}

/** It is moved to its place when it is whole. What it loses later, it loses to a machine that went down before all was on the disk, or to who tidies caches. */
function isWhole(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const found = readdirSync(folder).map((name) => statSync(join(folder, name)));
  return found.length > 0 && found.every((one) => one.isDirectory() || one.size > 0);
}

function homeOf({ name, version, sources }: Package): string {
  const folder = `${name}-${version.replace(/^v/, '')}`;
  if (sources.length === 0) return join(cacheFolder(), folder);
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(source));
  return join(cacheFolder(), `${folder}-${hash.digest('hex').slice(0, 8)}`);
}
