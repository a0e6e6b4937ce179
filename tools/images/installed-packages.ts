import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

type Lock = Readonly<Record<string, LockedPackage>>;

export interface Needed {
  /** Paths below the repository, as `node_modules/typeorm`; each stands alone, what is nested in it has a path of its own. */
  readonly paths: ReadonlySet<string>;
  /** Name → version of those asked for by name. */
  readonly direct: Readonly<Record<string, string>>;
}

/** What the lock file does not tell. */
interface Exceptions {
  readonly loadedByName: Readonly<Record<string, readonly string[]>>;
  readonly onlyRead: ReadonlySet<string>;
}

/**
 * These packages and all that they need, in the places and versions of the lock file. An optional one that is not installed is for another
 * platform; any other is a fault, and so is one that is there for development alone.
 */
export function neededPackages(root: string, names: readonly string[], { loadedByName, onlyRead }: Exceptions): Needed {
  const { packages: lock } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock };
  const paths = new Set<string>();
  const open = names.map((name) => place(lock, '', name));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (paths.has(path) || !isInstalled(root, path, lock)) continue;
    paths.add(path);
    if (!onlyRead.has(nameOf(path))) open.push(...needsOf(lock, path, loadedByName));
  }
  const direct = Object.fromEntries([...names].sort().map((name) => [name, lock[place(lock, '', name)]?.version ?? '']));
  return { paths, direct };
}

function needsOf(lock: Lock, path: string, loadedByName: Readonly<Record<string, readonly string[]>>): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock[path] ?? {};
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
  const required = [...Object.keys(dependencies ?? {}), ...peers, ...(loadedByName[nameOf(path)] ?? [])];
  const optional = Object.keys(optionalDependencies ?? {}).filter((name) => find(lock, path, name) !== undefined);
  return [...required.filter((name) => !(name in (optionalDependencies ?? {}))), ...optional].map((name) => place(lock, path, name));
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Where Node finds `name` when a file of the package at `from` asks for it: in its own folder, then in those above. */
function find(lock: Lock, from: string, name: string): string | undefined {
  const path = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`;
  if (path in lock) return path;
  if (from === '') return undefined;
  return find(lock, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

function place(lock: Lock, from: string, name: string): string {
  const path = find(lock, from, name);
  if (path === undefined) throw new Error(`${from === '' ? 'a compiled file' : from} needs ${name}, which the lock file has not`);
  return path;
}

function isInstalled(root: string, path: string, lock: Lock): boolean {
  if (lock[path]?.dev === true) throw new Error(`${path} is needed at run time and installed for development alone`);
  if (existsSync(join(root, path, 'package.json'))) return true;
  if (lock[path]?.optional === true) return false;
  throw new Error(`${path} is not installed: npm ci`);
}
