import { existsSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';

export interface Trace {
  /** Compiled files and what they read beside them, by their paths from `dist`. */
  readonly files: ReadonlySet<string>;
  /** Packages that they load themselves. */
  readonly packages: ReadonlySet<string>;
}

/** As the compiler writes them: `require("x")`, also for a dynamic import, `require.resolve("x")`, `import("x")`. */
const LOADED = /\b(?:require(?:\.resolve)?|import)\(\s*(["'])([^"'\n]+)\1\s*\)/g;
/** `join)(__dirname, 'ifc-worker.js')`: workers, style sheets. */
const BESIDE = /__dirname((?:,\s*(["'])[^"'\n]+\2)+)\)/g;

/** Everything that these compiled files lead to. Throws when one of them asks for a file that is not there. */
export function traceFiles(dist: string, entries: readonly string[]): Trace {
  const files = new Set<string>();
  const packages = new Set<string>();
  const open = entries.map((entry) => join(dist, entry));
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const path = relative(dist, file);
    if (files.has(path)) continue;
    files.add(path);
    if (!file.endsWith('.js')) continue;
    const source = readFileSync(file, 'utf8');
    for (const [, , name = ''] of source.matchAll(LOADED)) {
      if (name.startsWith('.')) open.push(resolveFile(join(dirname(file), name), file));
      else if (!isBuiltin(name)) packages.add(packageOf(name));
    }
    open.push(...besides(source, dirname(file)));
  }
  return { files, packages };
}

/** `@scope/name/file` → `@scope/name` */
const packageOf = (name: string) => name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/');

function resolveFile(path: string, from: string): string {
  const found = [path, `${path}.js`, join(path, 'index.js')].find(isFile);
  if (found === undefined) throw new Error(`${from} loads ${path}, which is not there: build first`);
  return found;
}

function besides(source: string, folder: string): string[] {
  return [...source.matchAll(BESIDE)]
    .map(([, parts = '']) => join(folder, ...[...parts.matchAll(/["']([^"']+)["']/g)].map(([, part = '']) => part)))
    .filter(isFile);
}

const isFile = (path: string) => existsSync(path) && statSync(path).isFile();
