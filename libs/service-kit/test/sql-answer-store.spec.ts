import { createTestDatabase } from '@twinyard/testing';
import { createDataSource, KeptAnswersTable1700000000030, migrate, SqlAnswerStore, TypeOrmUnitOfWork } from '../src';
import { describeAnswerStore } from './answer-store.contract';

describeAnswerStore('PostgreSQL', async () => {
  const database = await createTestDatabase();
  const source = await createDataSource({ url: database.url, entities: [], migrations: [KeptAnswersTable1700000000030] }).initialize();
  await migrate(source);
  return {
    store: new SqlAnswerStore(new TypeOrmUnitOfWork(source)),
    close: async () => {
      await source.destroy();
      await database.drop();
    },
  };
});
