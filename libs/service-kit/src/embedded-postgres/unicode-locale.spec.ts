import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './server';

const AS_BEFORE = `update pg_database set datlocprovider = 'c', datlocale = null`;

describe('the locale of the embedded server', () => {
  let scratch: string;
  let server: EmbeddedPostgres | undefined;
  let warnings: string[];
  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'twinyard-locale-'));
    chmodSync(scratch, 0o755);
    warnings = [];
  });
  afterEach(async () => {
    await server?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  const folder = () => join(scratch, 'data');
  async function restart(): Promise<void> {
    await server?.stop();
    server = await startEmbeddedPostgres({ folder: folder(), durable: false, onLine: (line) => warnings.push(line) });
  }

  async function query(sql: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: server?.url(database) });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** As clusters were made before: the letters of other languages had one case. */
  async function begin(): Promise<void> {
    await restart();
    await query(AS_BEFORE);
    await query('create database house template template0');
    await query('create table people (name text, key text generated always as (lower(name)) stored unique); create unique index by_name on people (lower(name))', 'house');
  }
  const found = () => query(`select name from people where lower(name) = lower('SÖHNE')`, 'house');
  const locales = () => query(`select distinct datlocprovider, datlocale from pg_database`);

  it('knows the letters of all scripts, in the order of code points', async () => {
    await restart();
    expect(await query(`select lower('SÖHNE ΔΈΛΤΑ ЖУК') as lower, 'söhne' ilike 'SÖHNE' as alike, array(select x from unnest(array['ä', 'z', 'Z', 'a']) x order by x) as ordered`)).toEqual([
      { lower: 'söhne δέλτα жук', alike: true, ordered: ['Z', 'a', 'z', 'ä'] },
    ]);
  });

  it('is given to a folder that was made without it, with what its indexes hold', async () => {
    await begin();
    await query(`insert into people values ('SÖHNE'), ('Anna')`, 'house');
    expect(await query(`select lower('SÖHNE') as lower`, 'house')).toEqual([{ lower: 'sÖhne' }]);
    await restart();
    expect(await locales()).toEqual([{ datlocprovider: 'b', datlocale: 'C.UTF-8' }]);
    expect(await found()).toEqual([{ name: 'SÖHNE' }]);
    expect(await query('select key from people order by key', 'house')).toEqual([{ key: 'anna' }, { key: 'söhne' }]);
    await expect(query(`insert into people values ('söhne')`, 'house')).rejects.toThrow(/duplicate key/);
    expect(existsSync(join(folder(), 'reindex-for-locale'))).toBe(false);
    expect(warnings.filter((line) => line.includes('keeps the locale'))).toEqual([]);
  });

  it('is given whole after a start that was killed between the database and its indexes', async () => {
    await begin();
    await query(`insert into people values ('SÖHNE')`, 'house');
    await query(`update pg_database set datlocprovider = 'b', datlocale = 'C.UTF-8' where datname = 'house'`);
    writeFileSync(join(folder(), 'reindex-for-locale'), '');
    await restart();
    await expect(query(`insert into people values ('söhne')`, 'house')).rejects.toThrow(/duplicate key/);
    expect(existsSync(join(folder(), 'reindex-for-locale'))).toBe(false);
  });

  it('is not given to a database that holds two of what would be one: it is named, and everything in it stays', async () => {
    await begin();
    await query(`insert into people values ('SÖHNE'), ('söhne')`, 'house');
    await restart();
    expect(await query('select name from people order by name', 'house')).toEqual([{ name: 'SÖHNE' }, { name: 'söhne' }]);
    expect(await query(`select datlocprovider from pg_database where datname = 'house'`)).toEqual([{ datlocprovider: 'c' }]);
    expect(warnings.find((line) => line.includes('keeps the locale'))).toMatch(/the database house .*unique index/);
    await query(`delete from people where name = 'söhne'`, 'house');
    await restart();
    expect(await query(`select lower('SÖHNE') as lower`, 'house')).toEqual([{ lower: 'söhne' }]);
  });
});
