import { Client } from 'pg';
import type { PlatformSettings } from './config';
import { knownMigrations } from './known-migrations';
import type { PlatformLog } from './platform-log';
import { databasesOf } from './process-table';

/** Where the databases of a server are. */
interface Databases {
  readonly names: readonly string[];
  readonly url: (database: string) => string;
}

/**
 * Throws when a newer version of Twinyard has worked with the data, unless that is accepted: the version before knows what to make of it, an older one may not
 * (docs/operations/upgrade.md). Not asked of a server outside, where old replicas have to be able to start beside new ones.
 */
export async function requireKnownData(url: Databases['url'], settings: PlatformSettings, log: PlatformLog): Promise<void> {
  const unknown = await unknownMigrations({ names: databasesOf(settings), url }, knownMigrations());
  const [first] = unknown;
  if (first === undefined) return;
  if (settings.acceptNewerData) return log.warn('the data was made by a newer version of Twinyard, and is used all the same', { unknown });
  const more = unknown.length > 1 ? ` (and ${unknown.length - 1} more databases)` : '';
  throw new Error(
    `The data in ${settings.dataDir} was made by a newer version of Twinyard: this one does not know the migrations of ${first}${more}. ` +
    'Start that version again, or set DATA_DIR to another folder. To go back by one release: npm start -- --accept-newer-data',
  );
}

/** Migrations of these databases that are not among the known ones, as `database, Name, Name`. Writes nothing: a database that is missing has none. */
export async function unknownMigrations({ names, url }: Databases, known: ReadonlySet<string>): Promise<string[]> {
  const there = new Set((await ask<{ datname: string }>(url('postgres'), 'SELECT datname FROM pg_database')).map(({ datname }) => datname));
  const found: string[] = [];
  for (const name of names.filter((candidate) => there.has(candidate))) {
    const unknown = (await executedMigrations(url(name))).filter((migration) => !known.has(migration));
    if (unknown.length > 0) found.push(`${name}, ${unknown.join(', ')}`);
  }
  return found;
}

async function executedMigrations(url: string): Promise<string[]> {
  const [table] = await ask<{ there: boolean }>(url, `SELECT to_regclass('migrations') IS NOT NULL AS there`);
  return table?.there === true ? (await ask<{ name: string }>(url, 'SELECT name FROM migrations ORDER BY id')).map(({ name }) => name) : [];
}

async function ask<R extends object>(url: string, sql: string): Promise<R[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}
