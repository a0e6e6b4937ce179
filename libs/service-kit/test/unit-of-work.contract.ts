import type { SqlTx, UnitOfWork } from '../src';

export interface SqlSubject {
  readonly unitOfWork: UnitOfWork<SqlTx>;
  /** Ends every connection of the database, as a server that restarts does. */
  dropConnections(): Promise<void>;
  close(): Promise<void>;
}

/** What services rely on in a SQL database: the one on this machine and any other PostgreSQL pass the same. */
export function describeUnitOfWork(name: string, open: () => Promise<SqlSubject>): void {
  describe(`a unit of work on ${name}`, () => {
    let subject: SqlSubject;
    const run = <R>(work: (tx: SqlTx) => Promise<R>) => subject.unitOfWork.run(work);

    beforeAll(async () => {
      subject = await open();
      await run((tx) => tx.query('CREATE TABLE thing (id int PRIMARY KEY, value int NOT NULL DEFAULT 0)'));
    });
    beforeEach(() => run((tx) => tx.query('TRUNCATE thing')));
    afterAll(() => subject?.close());

    it('commits what its work leaves and answers what it returns', async () => {
      expect(await run(async (tx) => (await tx.query('INSERT INTO thing VALUES ($1, $2) RETURNING id', [1, 5]))[0])).toEqual({ id: 1 });
      expect(await run((tx) => tx.query('SELECT * FROM thing'))).toEqual([{ id: 1, value: 5 }]);
    });

    it('leaves nothing of work that throws, and throws the same', async () => {
      const failure = new Error('half way');
      await expect(run(async (tx) => {
        await tx.query('INSERT INTO thing VALUES (1)');
        throw failure;
      })).rejects.toBe(failure);
      expect(await run((tx) => tx.query('SELECT * FROM thing'))).toEqual([]);
    });

    it('answers the rows of every kind of statement', async () => {
      await run((tx) => tx.query('INSERT INTO thing VALUES (1), (2)'));
      expect(await run((tx) => tx.query('UPDATE thing SET value = 7 RETURNING id'))).toEqual([{ id: 1 }, { id: 2 }]);
      expect(await run((tx) => tx.query('UPDATE thing SET value = 8'))).toEqual([]);
      expect(await run((tx) => tx.query('DELETE FROM thing WHERE id = 1 RETURNING value'))).toEqual([{ value: 8 }]);
    });

    it('tries work again that lost against another transaction', async () => {
      await run((tx) => tx.query('INSERT INTO thing VALUES (1)'));
      await Promise.all(Array.from({ length: 4 }, () => run(async (tx) => {
        await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
        const [row] = await tx.query<{ value: number }>('SELECT value FROM thing');
        await tx.query('UPDATE thing SET value = $1', [(row?.value ?? 0) + 1]);
      })));
      expect(await run((tx) => tx.query('SELECT value FROM thing'))).toEqual([{ value: 4 }]);
    });

    it('says 503 when its connection is lost on the way, and works again with the next', async () => {
      await expect(run(async (tx) => {
        await tx.query('INSERT INTO thing VALUES (1)');
        await subject.dropConnections();
        await tx.query('INSERT INTO thing VALUES (2)');
      })).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
      expect(await run((tx) => tx.query('SELECT * FROM thing'))).toEqual([]);
    });

    it('does not compile with anything but its own transaction', () => {
      const write = (tx: SqlTx) => typeof tx.query;
      // @ts-expect-error a look-alike lacks the brand that only a unit of work gives
      expect(write({ query: () => Promise.resolve([]) })).toBe('function');
      // @ts-expect-error a write without a transaction
      const forgotten = () => write();
      expect(forgotten).toThrow(TypeError);
    });
  });
}
