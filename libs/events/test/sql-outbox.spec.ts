import { SqlOutboxStore } from '../src';
import { EVENTS_TABLES } from '../src/events-migration';
import { describeOutbox } from './describe-outbox';
import { openServiceDatabase } from './service-database';

describeOutbox('PostgreSQL', async () => {
  const database = await openServiceDatabase();
  const { unitOfWork, dataSource } = database;
  return {
    store: new SqlOutboxStore(),
    unitOfWork,
    other: { store: new SqlOutboxStore(), unitOfWork },
    install: async () => {
      for (const statement of EVENTS_TABLES) await dataSource.query(statement);
    },
    clear: () => dataSource.query('TRUNCATE event_outbox'),
    close: () => database.close(),
  };
});
