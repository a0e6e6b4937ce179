import type { SqlTx, Tx, UnitOfWork } from '../src';

/** Two processes, as it were, on one database that holds things: an id and a value each. */
export interface UnitOfWorkSubject<T extends Tx> {
  readonly unitOfWork: UnitOfWork<T>;
  readonly other: UnitOfWork<T>;
  add(tx: T, id: number, value: number): Promise<void>;
  /** Reads and then writes, so that two at once would lose one. */
  increase(tx: T, id: number): Promise<void>;
  remove(tx: T, id: number): Promise<void>;
  /** Ids and values, as seen by this transaction. */
  list(tx: T): Promise<[id: number, value: number][]>;
  /** Ends every connection, as a server that restarts does. */
  loseServer(): Promise<void>;
  findServer(): Promise<void>;
  close(): Promise<void>;
}

/** What services rely on in any database. */
export function describeUnitOfWork<T extends Tx>(name: string, open: () => Promise<UnitOfWorkSubject<T>>): void {
  describe(`a unit of work on ${name}`, () => {
    let subject: UnitOfWorkSubject<T>;
    const run = <R>(work: (tx: T) => Promise<R>) => subject.unitOfWork.run(work);
    const list = () => subject.other.run((tx) => subject.list(tx));

    beforeAll(async () => {
      subject = await open();
    });
    beforeEach(() => run(async (tx) => {
      for (const [id] of await subject.list(tx)) await subject.remove(tx, id);
    }));
    afterAll(() => subject?.close());

    it('commits what its work leaves and answers what it returns', async () => {
      expect(await run(async (tx) => {
        await subject.add(tx, 1, 5);
        await subject.increase(tx, 1);
        return subject.list(tx);
      })).toEqual([[1, 6]]);
      expect(await list()).toEqual([[1, 6]]);
    });

    it('leaves nothing of work that throws, and throws the same', async () => {
      await run(async (tx) => {
        await subject.add(tx, 1, 5);
        await subject.add(tx, 2, 7);
      });
      const failure = new Error('half way');
      await expect(run(async (tx) => {
        await subject.add(tx, 3, 0);
        await subject.increase(tx, 3);
        await subject.increase(tx, 1);
        await subject.increase(tx, 1);
        await subject.remove(tx, 2);
        throw failure;
      })).rejects.toBe(failure);
      expect(await list()).toEqual([[1, 5], [2, 7]]);
    });

    it('tries work again that lost against another transaction, of this process or another', async () => {
      await run((tx) => subject.add(tx, 1, 0));
      const processes = [subject.unitOfWork, subject.other];
      await Promise.all(Array.from({ length: 8 }, (_, n) => processes[n % 2]?.run((tx) => subject.increase(tx, 1))));
      expect(await list()).toEqual([[1, 8]]);
    });

    it('says 503 when its server is lost on the way, and works again when it is back', async () => {
      await run((tx) => subject.add(tx, 1, 5));
      await expect(run(async (tx) => {
        await subject.increase(tx, 1);
        await subject.add(tx, 2, 0);
        await subject.loseServer();
        await subject.add(tx, 3, 0);
      })).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
      await subject.findServer();
      await run((tx) => subject.add(tx, 4, 0));
      expect(await list()).toEqual([[1, 5], [4, 0]]);
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
