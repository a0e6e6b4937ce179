import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Compiled files lie beside this one: `dist/tools/platform`, `dist/apps` and `dist/libs`. */
const dist = join(__dirname, '..', '..');

/** Files of migrations, as all of them are called. */
const FILE = /(?:[\\/]migrations[\\/]\d+-\w+|-migration)\.[jt]s$/;
/** TypeORM keeps a migration by the name of its class, whose end is its time. */
const CLASS = /\bclass (\w+\d{13})\b/g;

/** Names of all migrations that this version has. They are read and not loaded: with TypeORM and the services they would stay in the memory of the runner. */
export function knownMigrations(): ReadonlySet<string> {
  const files = ['apps', 'libs'].flatMap((folder) => filesBelow(join(dist, folder))).filter((file) => FILE.test(file));
  return new Set(files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(CLASS)].flatMap(([, name]) => name ?? [])));
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}
