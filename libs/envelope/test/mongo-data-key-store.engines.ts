import { type MongoConnection, MongoUnitOfWork } from '@twinyard/service-kit';
import { createMongoDatabase, type MongoTestDatabase, onEngine } from '@twinyard/testing';
import { DATA_KEYS_COLLECTIONS, MongoDataKeyStore, MongoDataKeyUses } from '../src';
import { describeDataKeyStore } from './data-key-store.contract';
import { describeDataKeyUses } from './data-key-uses.contract';

onEngine('mongo', () => {
  let database: MongoTestDatabase;
  let connection: MongoConnection;
  beforeAll(async () => {
    database = await createMongoDatabase();
    connection = await database.connect();
    await connection.ensure(DATA_KEYS_COLLECTIONS);
  });
  afterAll(() => database?.drop());
  const open = () => {
    const unitOfWork = new MongoUnitOfWork(connection);
    const uses = new MongoDataKeyUses(connection);
    const use = (keyId: string) => unitOfWork.run((tx) => uses.hold(tx, { keyId, holder: 'something' }));
    return Promise.resolve({ store: new MongoDataKeyStore(connection), uses, unitOfWork, use });
  };

  describeDataKeyStore('MongoDB', open);
  describeDataKeyUses('MongoDB', open);
});
