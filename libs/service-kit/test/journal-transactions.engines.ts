import { createMongoDatabase, eventually, type MongoTestDatabase, onEngine } from '@twinyard/testing';
import { Collection, MongoClient } from 'mongodb';
import type { MongoConnection, MongoTx } from '../src';
import { JournalTransactions } from '../src/mongo/journal-transactions';

interface Thing {
  _id: string | { part: string; n: number };
  value: unknown;
}

/** Longer than a machine stops: no test waits for its end. */
const LEASE_MS = 12_000;

/** A transaction that ends when the test says so, or never. */
function openEnd(): { readonly reached: Promise<void>; readonly work: Promise<never>; reach(): void; fail(error: Error): void } {
  let [reach, fail] = [(): void => undefined, (_error: Error): void => undefined];
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const work = new Promise<never>((_resolve, reject) => (fail = reject));
  work.catch(() => undefined);
  return { reached, work, reach, fail };
}

// Any server will do: this is what is done where it has no transactions.
onEngine('mongo', () => {
  describe('transactions by lock and journal', () => {
    let database: MongoTestDatabase;
    let connection: MongoConnection;
    const process = async () => new JournalTransactions(await database.connect(), LEASE_MS);

    beforeAll(async () => {
      database = await createMongoDatabase();
      connection = await database.connect();
    });
    afterEach(() => connection.db.collection('things').deleteMany({}));
    afterAll(() => database?.drop());

    const put = async (tx: MongoTx, _id: Thing['_id'], value: unknown) => {
      await tx.touch('things', [_id]);
      await tx.collection<Thing>('things').replaceOne({ _id } as object, { value } as Thing, { ...tx.options, upsert: true });
    };
    const things = async () => (await connection.db.collection<Thing>('things').find().toArray()).map(({ _id, value }) => [_id, value]).sort();
    /** As if a lease of the one who writes had so much left. */
    const leaseEnds = async (afterMs: number) => {
      const until = new Date(Date.now() + afterMs);
      await connection.db.collection<{ _id: string }>('twinyard_writer').updateOne({ _id: 'writer' }, { $set: { until } });
      return until;
    };
    /** What another does when the lease of the holder has run out. The holder lives and renews it: it is ended again until the other has come in. */
    const takenOver = async <R>(next: () => Promise<R>): Promise<R> => {
      const locks = connection.db.collection<{ _id: string; fence: number }>('twinyard_writer');
      const held = await locks.findOne({ _id: 'writer' });
      let isOver = false;
      const taken = next().finally(() => (isOver = true));
      taken.catch(() => undefined);
      await eventually(async () => {
        await locks.updateOne({ _id: 'writer', fence: held?.fence ?? 0 }, { $set: { until: new Date(0) } });
        return isOver;
      });
      return taken;
    };
    const journal = () => connection.db.collection('twinyard_undo').countDocuments();

    it('puts back what a process left that died in the middle, when its lease has run out', async () => {
      const [dead, next] = [await process(), await process()];
      await next.attempt(async (tx) => {
        await put(tx, 'old', { $set: 1, 'a.b': new Date(0) });
        await put(tx, { part: 'p', n: 1 }, Buffer.from('bytes'));
      });
      const before = await things();
      const { work, reached, reach } = openEnd();
      const deadConnection = (dead as unknown as { connection: MongoConnection }).connection;
      const left = dead.attempt(async (tx) => {
        await put(tx, 'old', 2);
        await put(tx, { part: 'p', n: 1 }, 2);
        await put(tx, 'new', 2);
        reach();
        await work;
      });
      left.catch(() => undefined);
      await reached;
      expect((await things()).map(([, value]) => value)).toEqual([2, 2, 2]);
      await deadConnection.close();
      const until = await leaseEnds(300);
      expect(await next.attempt(things)).toEqual(before);
      expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
      expect(await journal()).toBe(0);
    });

    it('commits nothing for a holder that was taken over, and has it know', async () => {
      const [slow, next] = [await process(), await process()];
      const { work, reached, reach, fail } = openEnd();
      const lost = slow.attempt(async (tx) => {
        await put(tx, 'one', 'slow');
        reach();
        await work.catch(() => undefined);
      });
      await reached;
      await takenOver(() => next.attempt((tx) => put(tx, 'two', 'next')));
      fail(new Error('go on'));
      await expect(lost).rejects.toMatchObject({ name: 'LostRace' });
      expect(await things()).toEqual([['two', 'next']]);
    });

    it('refuses a write when the lease was lost', async () => {
      const [slow, next] = [await process(), await process()];
      await expect(slow.attempt(async (tx) => {
        await put(tx, 'one', 'slow');
        await takenOver(() => next.attempt((other) => put(other, 'one', 'next')));
        // Asked again before a write once much of the lease has passed.
        await eventually(async () => expect(await tx.touch('things', ['two']).then(() => 'held', ({ name }: Error) => name)).toBe('LostRace'), { everyMs: 100 });
        await put(tx, 'one', 'too late');
      })).rejects.toMatchObject({ name: 'LostRace' });
      expect(await things()).toEqual([['one', 'next']]);
    });

    it('keeps its lock for work that lasts longer than the lease', async () => {
      const [long, next] = [await process(), await process()];
      const order: string[] = [];
      const leaseOf = async () => (await connection.db.collection<{ _id: string; until: Date }>('twinyard_writer').findOne({ _id: 'writer' }))?.until.getTime() ?? 0;
      const { reached, reach } = openEnd();
      const first = long.attempt(async (tx) => {
        await put(tx, 'one', 'long');
        reach();
        const first = await leaseOf();
        await eventually(async () => (await leaseOf()) > first, { everyMs: 50 });
        await put(tx, 'two', 'long');
        order.push('long');
      });
      await reached;
      const second = next.attempt((tx) => put(tx, 'one', 'next').then(() => order.push('next')));
      await Promise.all([first, second]);
      expect(order).toEqual(['long', 'next']);
      expect(await things()).toEqual([['one', 'next'], ['two', 'long']]);
    });

    it('puts back two documents that have exchanged the value of a unique index', async () => {
      await connection.ensure({ unique: [{ key: { name: 1 }, name: 'name', unique: true }] });
      const own = await process();
      const named = connection.db.collection<{ _id: number; name: string }>('unique');
      await named.insertMany([{ _id: 1, name: 'a' }, { _id: 2, name: 'b' }]);
      await expect(own.attempt(async (tx) => {
        await tx.touch('unique', [1, 2]);
        for (const [_id, name] of [[1, 'c'], [2, 'a'], [1, 'b']] as const) await named.updateOne({ _id }, { $set: { name } });
        throw new Error('half way');
      })).rejects.toThrow('half way');
      expect(await named.find({}, { sort: { _id: 1 } }).toArray()).toEqual([{ _id: 1, name: 'a' }, { _id: 2, name: 'b' }]);
    });

    it('lets a busy process keep no other from writing', async () => {
      const [busy, other] = [await process(), await process()];
      let done = false;
      const written: string[] = [];
      // Always with the next one waiting; no longer queue, or its end would wait as long as a slow machine takes for all of it.
      const floods = [1, 2, 3].map(async (flood) => {
        while (!done && written.length < 60) {
          await busy.attempt(async (tx) => {
            await put(tx, `busy ${flood}`, written.length);
            if (!done) written.push('busy');
          });
        }
      });
      await other.attempt((tx) => put(tx, 'other', 1));
      done = true;
      await Promise.all(floods);
      expect(written.length).toBeLessThan(30);
    });

    it('has those who queue wait together for a server that is away, and takes the next to it again', async () => {
      const nowhere = new MongoClient('mongodb://127.0.0.1:1/nothing', { serverSelectionTimeoutMS: 300 });
      const tried = jest.spyOn(Collection.prototype, 'createIndex'); // the first that a transaction asks of the server
      const writers = new JournalTransactions({ db: nowhere.db() } as MongoConnection, LEASE_MS);
      const refused = () => writers.attempt((tx) => put(tx, 'never', 1)).then(() => 'written', (error: Error) => error.name);
      expect(await Promise.all([refused(), refused(), refused()])).toEqual(Array(3).fill('MongoServerSelectionError'));
      expect(tried).toHaveBeenCalledTimes(1);
      expect(await refused()).toMatch(/^Mongo/); // it asks anew
      expect(tried).toHaveBeenCalledTimes(2);
      tried.mockRestore();
      await nowhere.close();
    });
  });
});
