import { createMongoDatabase, onEngine } from '@twinyard/testing';
import type { MongoTx } from '../src';
import { MongoUnitOfWork } from '../src';
import { describeUnitOfWork } from './unit-of-work.contract';

interface Thing {
  _id: number;
  value: number;
}

onEngine('mongo', () => {
  describeUnitOfWork<MongoTx>('MongoDB', async () => {
    const database = await createMongoDatabase();
    const [connection, other] = [await database.connect(), await database.connect()];
    await connection.ensure({ things: [] });
    const things = (tx: MongoTx) => tx.collection<Thing>('things');
    return {
      unitOfWork: new MongoUnitOfWork(connection),
      other: new MongoUnitOfWork(other),
      add: async (tx, id, value) => {
        await tx.touch('things', [id]);
        await things(tx).insertOne({ _id: id, value }, tx.options);
      },
      increase: async (tx, id) => {
        const thing = await things(tx).findOne({ _id: id }, tx.options);
        await tx.touch('things', [id]);
        await things(tx).updateOne({ _id: id }, { $set: { value: (thing?.value ?? 0) + 1 } }, tx.options);
      },
      remove: async (tx, id) => {
        await tx.touch('things', [id]);
        await things(tx).deleteOne({ _id: id }, tx.options);
      },
      list: async (tx) => (await things(tx).find({}, { ...tx.options, sort: { _id: 1 } }).toArray()).map(({ _id, value }) => [_id, value]),
      loseServer: () => database.shut(),
      findServer: () => database.unlock(),
      close: () => database.drop(),
    };
  });
});
