import type { DataSource } from 'typeorm';
import type { Logger } from '../logging/logger';

/** Any number; the same for all services, each of which has a database of its own. */
const MIGRATION_LOCK = 727_001;

/**
 * Runs what is pending once, also when several replicas start together: the others wait at the lock and find nothing to do. The lock
 * belongs to its connection, so that of a process that dies is free again.
 */
export async function migrate(dataSource: DataSource, logger?: Logger): Promise<void> {
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const done = await dataSource.runMigrations();
    if (done.length > 0) logger?.info({ migrations: done.length, last: done.at(-1)?.name }, 'migrated');
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await runner.release();
  }
}

/** Throws, naming them, when migrations wait to be run. Changes nothing: the service may have no right to. */
export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const known = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
  const done = new Set((await executedMigrations(dataSource)).map(({ name }) => name));
  const pending = known.filter((name) => !done.has(name));
  if (pending.length > 0) throw new Error(`The database is not up to date: ${pending.join(', ')}. Run the command migrate, or set MIGRATE_ON_START=true.`);
}

/** TypeORM's own question makes its table first; a database without one has seen no migration. */
async function executedMigrations(dataSource: DataSource): Promise<readonly { readonly name: string }[]> {
  const [found] = await dataSource.query<{ there: boolean }[]>('SELECT to_regclass($1) IS NOT NULL AS there', ['migrations']);
  return found?.there === true ? dataSource.query('SELECT name FROM migrations') : [];
}
