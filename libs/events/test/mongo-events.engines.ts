import { MongoConnection, type MongoTx, MongoUnitOfWork } from '@twinyard/service-kit';
import { createMongoDatabase, onEngine } from '@twinyard/testing';
import { EVENTS_COLLECTIONS, MongoInboxStore, MongoOutboxStore } from '../src';
import { describeEventHandling } from './describe-event-handling';
import { describeOutbox } from './describe-outbox';

interface Seen {
  _id: string;
}

onEngine('mongo', () => {
  describeOutbox('MongoDB', async () => {
    const database = await createMongoDatabase();
    const open = async () => {
      const connection = await database.connect();
      await connection.ensure(EVENTS_COLLECTIONS);
      return { connection, store: new MongoOutboxStore(connection), unitOfWork: new MongoUnitOfWork(connection) };
    };
    const [{ connection, ...process }, { connection: _, ...other }] = await Promise.all([open(), open()]);
    return {
      ...process,
      other,
      install: () => connection.ensure(EVENTS_COLLECTIONS),
      clear: async () => void (await connection.db.collection('event_outbox').deleteMany({})),
      close: () => database.drop(),
    };
  });

  describeEventHandling('MongoDB', async () => {
    const database = await createMongoDatabase();
    const connection = await database.connect();
    await connection.ensure({ ...EVENTS_COLLECTIONS, seen: [] });
    const seen = connection.db.collection<Seen>('seen');
    return {
      unitOfWork: new MongoUnitOfWork(connection),
      inbox: new MongoInboxStore(connection),
      record: async (given, name) => {
        const tx = given as MongoTx;
        await tx.touch('seen', [name]);
        await tx.collection<Seen>('seen').insertOne({ _id: name }, tx.options);
      },
      recorded: async () => (await seen.find({}, { sort: { _id: 1 } }).toArray()).map(({ _id }) => _id),
      clear: async () => {
        for (const name of ['seen', 'event_inbox']) await connection.db.collection(name).deleteMany({});
      },
      lost: () => MongoConnection.open({ url: 'mongodb://127.0.0.1:1/nothing', serverSelectionTimeoutMs: 50 }).then(
        () => new Error('somebody answers there'),
        (error: Error) => error,
      ),
      close: () => database.drop(),
    };
  });
});
