import { createMongoDatabase, onEngine } from '@twinyard/testing';
import { KEPT_ANSWERS_COLLECTIONS, MongoAnswerStore, MongoUnitOfWork } from '../src';
import { describeAnswerStore } from './answer-store.contract';

onEngine('mongo', () => {
  describeAnswerStore('MongoDB', async () => {
    const database = await createMongoDatabase();
    const connection = await database.connect();
    await connection.ensure(KEPT_ANSWERS_COLLECTIONS);
    const unitOfWork = new MongoUnitOfWork(connection);
    return { store: new MongoAnswerStore(connection), transaction: (work) => unitOfWork.run(work), close: () => database.drop() };
  });
});
