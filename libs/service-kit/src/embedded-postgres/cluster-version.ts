import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinaries } from './binaries';

/** Throws when the folder's files were made by another major version of PostgreSQL than the one that is installed: neither reads the other's. Writes nothing. */
export function requireSameMajor(folder: string): void {
  const file = join(folder, 'cluster', 'PG_VERSION');
  if (!existsSync(file)) return;
  const [made, installed] = [readFileSync(file, 'utf8').trim(), installedMajor()];
  if (made === installed) return;
  const version = Number(made) > Number(installed) ? 'a newer' : 'an older';
  throw new Error(`The database in ${folder} was made by ${version} version of Twinyard: it is of PostgreSQL ${made}, and this version has PostgreSQL ${installed}. Start that version again, or set DATA_DIR to another folder.`);
}

/** The package has the version of the server in it. */
function installedMajor(): string {
  const { version } = JSON.parse(readFileSync(join(findBinaries().home, '..', 'package.json'), 'utf8')) as { version: string };
  return version.split('.')[0] ?? '';
}
