import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import { Pool } from 'pg';
import { type RowOfTexts, TextRead } from '../src/postgres/text-read.adapter';

const COLUMNS: RowOfTexts = (columns) => columns;

describe('a statement of texts', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url, max: 1 });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  const read = (text: string, parameters: readonly string[], name = '') => pool.query(new TextRead(text, parameters, COLUMNS, name)) as unknown as Promise<unknown[]>;
  const kept = async () => (await pool.query<{ name: string }>('select name from pg_prepared_statements order by name')).rows.map(({ name }) => name);

  it('gives texts back as they were', async () => {
    for (const texts of [['a', 'b'], ['', '0'], ['Ö – 日本 🏠', `'; drop table x; -- "$1"`], ['x'.repeat(100_000), '\n\t']]) await seeSame(texts);
  });

  const seeSame = async (texts: readonly string[]) => {
    expect(await read('select $1::text, $2::text', texts)).toEqual([texts]);
    for (let time = 0; time < 3; time += 1) expect(await read('select $2::text, $1::text', texts, 'turned')).toEqual([[...texts].reverse()]);
  };

  it('is read by the connection once where it has a name, and each time where it has none', async () => {
    for (let time = 0; time < 2; time += 1) expect(await read('select v from generate_series(1, $1::int) v', ['3'], 'series')).toEqual([['1'], ['2'], ['3']]);
    expect(await read('select 1 where $1 = $2', ['a', 'b'])).toEqual([]);
    expect(await kept()).toEqual(expect.arrayContaining(['series']));
    expect((await kept()).filter((name) => name === '')).toEqual([]);
  });

  it('leaves its connection usable when it fails, before it is read and after', async () => {
    const client = await pool.connect();
    const ask = (text: string, parameters: readonly string[], name = '', rowOf = COLUMNS) => new Promise<unknown>((resolve, reject) => {
      client.query(Object.assign(new TextRead(text, parameters, rowOf, name), { callback: (error: Error | undefined, rows: unknown) => (error ? reject(error) : resolve(rows)) }));
    });
    try {
      await expect(ask('select nothing from nowhere', [], 'wrong')).rejects.toMatchObject({ code: '42P01' });
      await expect(ask('select $1::int', ['seven'], 'number')).rejects.toMatchObject({ code: '22P02' });
      await expect(ask('select 1 / $1::int', ['0'], 'quotient')).rejects.toMatchObject({ code: '22012' });
      await expect(ask('select $1::text', ['\0'])).rejects.toMatchObject({ code: '22021' });
      await expect(ask('select $1::text', ['x'], '', () => JSON.parse('{') as unknown)).rejects.toThrow(SyntaxError);
      expect(await ask('select $1::int', ['7'], 'number')).toEqual([['7']]);
      expect(await ask('select 1 / $1::int', ['1'], 'quotient')).toEqual([['1']]);
    } finally {
      client.release();
    }
  });

  it('fails when its connection is cut, and the next one has another', async () => {
    const other = new Pool({ connectionString: database.url, max: 1 });
    const cut = read('select pg_sleep($1::int)::text', ['60'], 'long').catch((error: Error) => error);
    await eventually(async () => {
      const { rowCount } = await other.query(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%' and datname = current_database()`);
      expect(rowCount).toBe(1);
    });
    await other.end();
    expect(await cut).toBeInstanceOf(Error);
    expect(await read('select $1::text', ['again'], 'long 2')).toEqual([['again']]);
  });
});
