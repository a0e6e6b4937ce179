import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { createDataSource, type TypeOrmTx, TypeOrmUnitOfWork } from '../src';

const INSERT = 'INSERT INTO thing (id) VALUES ($1) RETURNING id';
const ANOTHER = `${INSERT}, 3 AS three`;
const COUNT = 'SELECT count(*)::int AS count FROM thing';
const WAITING = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const LOCK = 'SELECT pg_advisory_xact_lock(1) IS NULL AS free';

describe('statements of a unit of work that are gathered', () => {
  let database: TestDatabase;
  let source: DataSource;
  let trips: string[] = [];
  const run = <R>(work: (tx: TypeOrmTx) => Promise<R>) => new TypeOrmUnitOfWork(source).run(work);
  const ids = async () => (await source.query<{ id: number }[]>('SELECT id FROM thing ORDER BY id')).map(({ id }) => id);

  beforeAll(async () => {
    database = await createTestDatabase();
    // One connection, which stays: what a failure leaves on it is seen by the next.
    const { options } = createDataSource({ url: database.url, entities: [], migrations: [], poolSize: 1 });
    source = await new DataSource({ ...options, extra: { ...(options.extra as object), idleTimeoutMillis: 0 } } as DataSourceOptions).initialize();
    await source.query('CREATE TABLE thing (id int PRIMARY KEY, amount int CHECK (amount < 10), at timestamptz NOT NULL DEFAULT now())');
    const ask = Client.prototype.query as (...args: unknown[]) => unknown;
    jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
      if (database.url.endsWith(`/${this.database}`)) trips.push(String((args[0] as { text?: string }).text ?? args[0]));
      return ask.apply(this, args);
    } as never);
  });
  beforeEach(async () => {
    await source.query('TRUNCATE thing');
    trips = [];
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await source?.destroy();
    await database?.drop();
  });

  it('go in three trips: the beginning with the first ones, those that need an answer, the last with the commit', async () => {
    const counts = await run(async (tx) => {
      const [free, [before], [one]] = await tx.together(() => tx.prepared(LOCK), () => tx.prepared(COUNT), () => tx.prepared(INSERT, [1]));
      expect([free, before, one]).toEqual([[{ free: false }], { count: 0 }, { id: 1 }]);
      const [two] = await tx.prepared(INSERT, [2]);
      await tx.preparedLater(INSERT, [3]);
      await tx.preparedLater(INSERT, [4]);
      return [two];
    });
    expect(trips).toHaveLength(3);
    expect(counts).toEqual([{ id: 2 }]);
    expect(await ids()).toEqual([1, 2, 3, 4]);
  });

  it('go in one trip, with their commit, when they are all there at once: no lock of theirs waits for this process', async () => {
    const insert = (id: number) => ({ sql: INSERT, parameters: [id] });
    expect(await new TypeOrmUnitOfWork(source).runTogether([{ sql: LOCK }, insert(1), insert(2)])).toEqual([[{ free: false }], [{ id: 1 }], [{ id: 2 }]]);
    expect(trips).toHaveLength(1);
    await expect(new TypeOrmUnitOfWork(source).runTogether([insert(3), insert(3), insert(4)])).rejects.toMatchObject({ code: '23505' });
    expect(await ids()).toEqual([1, 2]);
  });

  it('are parsed once a connection, those of the transaction too, and read as others are', async () => {
    const read = 'SELECT at, ARRAY[id::text] AS ids FROM thing';
    const round = (id: number) => run((tx) => tx.together(() => tx.prepared(INSERT, [id]), () => tx.prepared(read)));
    for (const id of [1, 2, 3]) await round(id);
    const [, [first]] = await round(4);
    expect(first).toEqual({ at: expect.any(Date), ids: ['1'] });
    const kept = await source.query<{ statement: string }[]>('SELECT statement FROM pg_prepared_statements WHERE NOT from_sql');
    for (const statement of [INSERT, read, 'START TRANSACTION', 'COMMIT']) expect(kept.filter((one) => one.statement === statement)).toHaveLength(1);
  });

  it('see what was committed before each of them, as if each had gone alone', async () => {
    const other = new Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT pg_advisory_xact_lock(1)');
      await other.query('INSERT INTO thing (id) VALUES (7)');
      const asked = run((tx) => tx.together(() => tx.prepared(LOCK), () => tx.prepared(COUNT)));
      await eventually(async () => expect((await other.query(WAITING)).rows).toHaveLength(1));
      await other.query('COMMIT');
      const [, [counted]] = await asked;
      expect(counted).toEqual({ count: 1 });
    } finally {
      await other.end();
    }
  });

  it.each<[string, (tx: TypeOrmTx) => Promise<unknown>]>([
    ['among others', (tx) => tx.together(() => tx.prepared(INSERT, [2]), () => tx.prepared('SELECT 1 / $1::int AS one', [0]), () => tx.prepared(ANOTHER, [3]))],
    ['that was to go later, with the next', async (tx) => (await tx.preparedLater(INSERT, [1]), tx.prepared(COUNT))],
    ['that was to go later, with one of another kind', async (tx) => (await tx.preparedLater(INSERT, [1]), tx.query('SELECT 1'))],
    ['that was to go later, with the commit', (tx) => tx.preparedLater(INSERT, [1])],
  ])('undo all when one fails %s, and leave the connection as it was', async (_, work) => {
    await expect(run(async (tx) => {
      await tx.prepared(INSERT, [1]);
      await work(tx);
    })).rejects.toMatchObject({ code: expect.stringMatching(/^(22012|23505)$/) });
    expect(await ids()).toEqual([]);
    // What was sent behind the one that failed was never parsed.
    await run(async (tx) => void (await tx.together(() => tx.prepared(INSERT, [3]), () => tx.prepared(ANOTHER, [4]))));
    expect(await ids()).toEqual([3, 4]);
  });

  it.each<[string, (tx: TypeOrmTx) => Promise<unknown>]>([
    ['the next', (tx) => tx.prepared(COUNT)],
    ['one of another kind', (tx) => tx.query('SELECT 1')],
    ['the commit', () => Promise.resolve()],
  ])('tell what was wrong with one that was to go later in the words that it was given, with %s', async (_, next) => {
    const told = (cause: unknown) => new Error('it is there already', { cause });
    await expect(run(async (tx) => {
      await tx.prepared(INSERT, [1]);
      await tx.preparedLater(INSERT, [1], told);
      await next(tx);
    })).rejects.toMatchObject({ message: 'it is there already', cause: { code: '23505' } });
    await expect(run(async (tx) => {
      await tx.preparedLater(INSERT, [2], told);
      await tx.prepared('SELECT 1 / $1::int AS one', [0]);
    })).rejects.toMatchObject({ code: '22012' });
  });

  it('are not committed when one failed that nobody waited for, whoever hears of it too late', async () => {
    await expect(run(async (tx) => {
      await tx.prepared(INSERT, [1]);
      await tx.preparedLater(INSERT, [1]);
      await tx.query('SELECT 1').catch(() => undefined);
    })).rejects.toMatchObject({ code: '23505' });
    expect(await ids()).toEqual([]);
  });

  it('are not committed when one failed of which it was heard, and passed over', async () => {
    await expect(run(async (tx) => {
      await tx.prepared(INSERT, [1]);
      await tx.prepared(INSERT, [1]).catch(() => undefined);
    })).rejects.toMatchObject({ code: '23505' });
    expect(await ids()).toEqual([]);
  });

  it('of another kind wait for those under way, and are not said behind one that fails', async () => {
    await expect(run(async (tx) => {
      await tx.prepared(INSERT, [1]);
      tx.prepared(INSERT, [1]).catch(() => undefined);
      await Promise.resolve();
      await tx.query('SELECT 2');
    })).rejects.toMatchObject({ code: '23505' });
    expect(trips).not.toContain('SELECT 2');
  });

  it('go in their order with those of another kind', async () => {
    await run(async (tx) => {
      await tx.preparedLater(INSERT, [1]);
      expect(await tx.query('UPDATE thing SET amount = 5 RETURNING id')).toEqual([{ id: 1 }]);
      await tx.preparedLater('DELETE FROM thing WHERE amount = $1', [5]);
      expect(await (tx.manager.queryRunner as QueryRunner).query(COUNT)).toEqual([{ count: 0 }]);
    });
    // The insert with its beginning, each of the two, the deletion, and the commit.
    expect([trips.length, trips[1], trips[3]]).toEqual([5, expect.stringContaining('UPDATE'), COUNT]);
  });

  it('are not sent at all when there are none, and none is when the work throws before', async () => {
    expect(await run(() => Promise.resolve(5))).toBe(5);
    const failure = new Error('half way');
    await expect(run(async (tx) => {
      await tx.preparedLater(INSERT, [1]);
      throw failure;
    })).rejects.toBe(failure);
    expect(trips).toEqual([]);
  });

  it('are asked again when the connection turns out to be dead before anything was done, and not afterwards', async () => {
    const sleep = 'SELECT pg_sleep(600)';
    const endSleep = async () => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      const end = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query = $1';
      await eventually(async () => expect((await client.query(end, [sleep])).rows).toHaveLength(1)).finally(() => client.end());
    };
    let tries = 0;
    await run(async (tx) => {
      tries += 1;
      if (tries === 1) await Promise.all([tx.prepared(sleep), endSleep()]);
      await tx.prepared(INSERT, [tries]);
    });
    expect(await ids()).toEqual([2]);
    await expect(run(async (tx) => {
      tries += 1;
      await tx.prepared(COUNT);
      await Promise.all([tx.prepared(sleep), endSleep()]);
    })).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    expect(tries).toBe(3);
  });
});
