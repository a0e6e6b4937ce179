import { newUuid } from '@twinyard/conventions';
import { createMongoDatabase, onEngine } from '@twinyard/testing';
import { DURABLE_REQUESTS_COLLECTIONS, MongoDurableRequestStore, type MongoTx, MongoUnitOfWork } from '../src';
import { describeDurableRequests } from './durable-requests.contract';

interface Note {
  _id: string;
  requestId: string;
  text: string;
}

onEngine('mongo', () => {
  describeDurableRequests<MongoTx>('MongoDB', async () => {
    const database = await createMongoDatabase();
    const connection = await database.connect();
    await connection.ensure({ ...DURABLE_REQUESTS_COLLECTIONS, done: [] });
    const unitOfWork = new MongoUnitOfWork(connection);
    return {
      store: new MongoDurableRequestStore(unitOfWork),
      unitOfWork,
      note: async (tx, requestId, text) => {
        const _id = newUuid();
        await tx.touch('done', [_id]);
        await tx.collection<Note>('done').insertOne({ _id, requestId, text }, tx.options);
      },
      notes: () => connection.db.collection<Note>('done').find({}, { projection: { _id: 0, requestId: 1, text: 1 } }).toArray(),
      takeOver: async (id) => {
        const until = new Date(Date.now() + 3_600_000);
        await connection.db.collection<{ _id: string }>('durable_requests').updateOne({ _id: id }, { $set: { leasedBy: newUuid(), leasedUntil: until } });
      },
      clear: async () => {
        for (const name of [...Object.keys(DURABLE_REQUESTS_COLLECTIONS), 'done']) await connection.db.collection(name).deleteMany({});
      },
      close: () => database.drop(),
    };
  });
});
