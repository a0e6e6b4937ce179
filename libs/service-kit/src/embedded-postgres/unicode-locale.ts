import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

interface RunningServer {
  readonly url: (database?: string) => string;
  /** Of the cluster: a mark is kept in it while databases are changed. */
  readonly folder: string;
  readonly warn: (line: string) => void;
}

/** Of a folder in which databases were given the locale, and not all of their indexes made anew. */
const MARK = 'reindex-for-locale';

const OF_C = `datlocprovider = 'c' and datcollate = 'C' and datctype = 'C'`;
const TO_UNICODE = `update pg_database set datlocprovider = 'b', datlocale = 'C.UTF-8' where datname = $1`;
const TO_C = `update pg_database set datlocprovider = 'c', datlocale = null where datname = $1`;

/** What an index holds that computes something may differ, as `lower(name)` does. The order of plain texts is the same. */
const COMPUTED_INDEXES = `select format('%I.%I', n.nspname, c.relname) as name from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
  where (i.indexprs is not null or i.indpred is not null) and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`;

/** Columns that a table computes. The same expression set again has all rows computed anew, with the indexes over them. */
const COMPUTED_COLUMNS = `select format('%I.%I', n.nspname, c.relname) as table, format('%I', a.attname) as column, pg_get_expr(d.adbin, d.adrelid) as expression
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attgenerated = 's' and not a.attisdropped and n.nspname not in ('pg_catalog', 'information_schema')`;

/**
 * Gives the databases of a cluster that was made with the locale `C` the one with which clusters are made now (`cluster.ts`). A start that is killed
 * half way leaves a mark, and the next goes on. A database whose unique indexes the new locale would break stays as it is, and that is said.
 */
export async function useUnicodeLocale({ url, folder, warn }: RunningServer): Promise<void> {
  const mark = join(folder, MARK);
  const isUnfinished = existsSync(mark);
  const databases = await ask<{ datname: string; datallowconn: boolean }>(url(), `select datname, datallowconn from pg_database where ${isUnfinished ? `datlocprovider in ('b', 'c')` : OF_C}`);
  if (databases.length === 0) return;
  keepMark(mark);
  for (const { datname, datallowconn } of databases) {
    await ask(url(), TO_UNICODE, [datname]);
    if (!datallowconn) continue;
    const fault = await computeAnew(url(datname));
    if (fault === undefined) continue;
    await ask(url(), TO_C, [datname]);
    warn(`WARNING:  the database ${datname} keeps the locale C, in which only the letters of English have an upper and a lower case: ${fault}`);
  }
  rmSync(mark);
}

/** It has to be there before anything of the databases is changed. */
function keepMark(mark: string): void {
  const file = openSync(mark, 'w', 0o600);
  fsyncSync(file);
  closeSync(file);
}

/** All of a database or none. Answers with what stands in the way. */
async function computeAnew(url: string): Promise<string | undefined> {
  return connected(url, async (client) => {
    const columns = await client.query<{ table: string; column: string; expression: string }>(COMPUTED_COLUMNS);
    const indexes = await client.query<{ name: string }>(COMPUTED_INDEXES);
    try {
      await client.query('begin');
      for (const { table, column, expression } of columns.rows) await client.query(`alter table ${table} alter column ${column} set expression as (${expression})`);
      for (const { name } of indexes.rows) await client.query(`reindex index ${name}`);
      await client.query('commit');
      return undefined;
    } catch (error) {
      await client.query('rollback');
      return error instanceof Error ? error.message : String(error);
    }
  });
}

const ask = <R extends object>(url: string, sql: string, values: readonly unknown[] = []): Promise<R[]> =>
  connected(url, async (client) => (await client.query<R>(sql, [...values])).rows);

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
