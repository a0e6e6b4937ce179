import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { createDataSource, type SqlTx, type TypeOrmTx, TypeOrmUnitOfWork } from '../src';
import { describeUnitOfWork } from './unit-of-work.contract';

const openSource = ({ url }: TestDatabase) => createDataSource({ url, entities: [], migrations: [], poolSize: 5 }).initialize();

/** They have ended when it answers: one that is about to end would still take a statement. */
async function endConnections({ url }: TestDatabase): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
  await client.end();
}

describeUnitOfWork<TypeOrmTx>('PostgreSQL through TypeORM', async () => {
  const database = await createTestDatabase();
  const [source, other] = [await openSource(database), await openSource(database)];
  await source.query('CREATE TABLE thing (id int PRIMARY KEY, value int NOT NULL)');
  return {
    unitOfWork: new TypeOrmUnitOfWork(source),
    other: new TypeOrmUnitOfWork(other),
    add: (tx, id, value) => tx.preparedLater('INSERT INTO thing VALUES ($1, $2)', [id, value]),
    increase: async (tx, id) => {
      const [row] = await tx.query<{ value: number }>('SELECT value FROM thing WHERE id = $1 FOR UPDATE', [id]);
      await tx.query('UPDATE thing SET value = $2 WHERE id = $1', [id, (row?.value ?? 0) + 1]);
    },
    remove: async (tx, id) => void (await tx.query('DELETE FROM thing WHERE id = $1', [id])),
    list: async (tx) => (await tx.prepared<{ id: number; value: number }>('SELECT id, value FROM thing ORDER BY id')).map(({ id, value }) => [id, value]),
    loseServer: () => endConnections(database),
    findServer: () => Promise.resolve(),
    close: async () => {
      await Promise.all([source.destroy(), other.destroy()]);
      await database.drop();
    },
  };
});

describe('statements of a unit of work on PostgreSQL', () => {
  let database: TestDatabase;
  let source: DataSource;
  let unitOfWork: TypeOrmUnitOfWork;
  const run = <R>(work: (tx: SqlTx) => Promise<R>) => unitOfWork.run(work);

  beforeAll(async () => {
    database = await createTestDatabase();
    source = await openSource(database);
    unitOfWork = new TypeOrmUnitOfWork(source);
    await source.query('CREATE TABLE thing (id int PRIMARY KEY, value int NOT NULL DEFAULT 0)');
  });
  beforeEach(() => source.query('TRUNCATE thing'));
  afterAll(async () => {
    await source?.destroy();
    await database?.drop();
  });

  it('has the server parse and plan a prepared statement once a connection, in the transaction like any other', async () => {
    const insert = 'INSERT INTO thing (id, value) VALUES ($1, $2) RETURNING id';
    await run(async (tx) => {
      for (const id of [1, 2, 3]) expect(await tx.prepared(insert, [id, 0])).toEqual([{ id }]);
      const plans = 'SELECT statement, (generic_plans + custom_plans)::int AS plans FROM pg_prepared_statements WHERE statement = $1';
      expect(await tx.query(plans, [insert])).toEqual([{ statement: insert, plans: 3 }]);
    });
    const undone = run(async (tx) => {
      expect(await tx.prepared('DELETE FROM thing WHERE id < $1 RETURNING id', [3])).toHaveLength(2);
      await tx.prepared(insert, [3, 1]);
    });
    await expect(undone).rejects.toMatchObject({ code: '23505' });
    expect(await run((tx) => tx.query('SELECT id FROM thing'))).toHaveLength(3);
  });

  it.each<[string, (tx: TypeOrmTx) => Promise<unknown>]>([
    ['its commit', async () => undefined],
    ['another statement', (tx) => tx.query('SELECT 1')],
    ['a prepared one', (tx) => tx.prepared('SELECT 1')],
    ['another of its runner', (tx) => (tx.manager.queryRunner as QueryRunner).query('SELECT 1')],
  ])('says that the database cannot be reached when the connection was lost before %s', async (_, next) => {
    const work = unitOfWork.run(async (tx) => {
      await tx.query('INSERT INTO thing (id) VALUES (1)');
      await endConnections(database);
      await eventually(() => expect(tx.manager.queryRunner?.isReleased).toBe(true));
      await next(tx);
    });
    await expect(work).rejects.toMatchObject({ status: 503, code: 'unavailable', retryAfter: 1 });
    expect(await run((tx) => tx.query('SELECT id FROM thing'))).toEqual([]);
  });

  it.each(['40001', '40P01'])('tries again when others were in the way (%s), and says at last that it may be tried later: it is nobody\'s fault', async (state) => {
    let tries = 0;
    const work = run(async (tx) => {
      tries += 1;
      await tx.query(`DO $$ BEGIN RAISE EXCEPTION 'others' USING ERRCODE = '${state}'; END $$`);
    });
    await expect(work).rejects.toMatchObject({ status: 503, code: 'unavailable', retryAfter: 1, cause: expect.objectContaining({ code: state }) });
    expect(tries).toBe(4);
  });

  it('has a single statement committed with its answer, or not at all', async () => {
    expect(await unitOfWork.askRepeatable('INSERT INTO thing VALUES ($1, $2) RETURNING id', [1, 5])).toEqual([{ id: 1 }]);
    await expect(unitOfWork.askRepeatable('INSERT INTO thing SELECT id, 0 FROM unnest($1::int[]) AS id', [[2, 1]])).rejects.toMatchObject({ code: '23505' });
    expect(await unitOfWork.askRepeatable('UPDATE thing SET value = value + $1 RETURNING value', [1])).toEqual([{ value: 6 }]);
    expect(await unitOfWork.askRepeatable('SELECT id FROM thing WHERE value < $1', [9])).toEqual([{ id: 1 }]);
    const ended = unitOfWork.askRepeatable(`SELECT pg_terminate_backend(pg_backend_pid()) WHERE $1`, [true]);
    await expect(ended).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    expect(await unitOfWork.askRepeatable('SELECT value FROM thing WHERE id = $1', [1])).toEqual([{ value: 6 }]);
  });

  it('has statements that go together committed in the trip that they take, in their order, or none of them', async () => {
    const insert = { sql: 'INSERT INTO thing VALUES ($1, $2) RETURNING id', parameters: [1, 5] };
    expect(await unitOfWork.runTogether([insert, { sql: 'UPDATE thing SET value = value + 1 RETURNING value' }])).toEqual([[{ id: 1 }], [{ value: 6 }]]);
    await expect(unitOfWork.runTogether([{ sql: 'UPDATE thing SET value = 9' }, insert])).rejects.toMatchObject({ code: '23505' });
    expect(await unitOfWork.runTogether([{ sql: 'SELECT value FROM thing' }])).toEqual([[{ value: 6 }]]);
    const settings = [{ sql: `SELECT set_config('lock_timeout', '1234ms', true)` }, { sql: `SELECT current_setting('lock_timeout') AS timeout` }];
    expect((await unitOfWork.runTogether(settings))[1]).toEqual([{ timeout: '1234ms' }]);
    expect(await unitOfWork.askRepeatable(`SELECT current_setting('lock_timeout') AS timeout`, [])).toEqual([{ timeout: '0' }]);
  });

  it('answers the rows of every kind of statement', async () => {
    await run((tx) => tx.query('INSERT INTO thing VALUES (1), (2)'));
    expect(await run((tx) => tx.query('UPDATE thing SET value = 7 RETURNING id'))).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await run((tx) => tx.query('UPDATE thing SET value = 8'))).toEqual([]);
    expect(await run((tx) => tx.query('DELETE FROM thing WHERE id = 1 RETURNING value'))).toEqual([{ value: 8 }]);
  });

  it('tries work again that the server could not serialise', async () => {
    await run((tx) => tx.query('INSERT INTO thing VALUES (1)'));
    await Promise.all(Array.from({ length: 4 }, () => run(async (tx) => {
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      const [row] = await tx.query<{ value: number }>('SELECT value FROM thing');
      await tx.query('UPDATE thing SET value = $1', [(row?.value ?? 0) + 1]);
    })));
    expect(await run((tx) => tx.query('SELECT value FROM thing'))).toEqual([{ value: 4 }]);
  });
});
