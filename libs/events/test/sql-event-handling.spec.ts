import { createDataSource, type SqlTx } from '@twinyard/service-kit';
import { SqlInboxStore } from '../src';
import { describeEventHandling } from './describe-event-handling';
import { openServiceDatabase } from './service-database';

describeEventHandling('PostgreSQL', async () => {
  const database = await openServiceDatabase();
  const { unitOfWork, dataSource } = database;
  return {
    unitOfWork,
    inbox: new SqlInboxStore(),
    record: async (tx, name) => void (await (tx as SqlTx).query('INSERT INTO seen (name) VALUES ($1)', [name])),
    recorded: async () => (await dataSource.query<{ name: string }[]>('SELECT name FROM seen ORDER BY name')).map(({ name }) => name),
    clear: () => dataSource.query('TRUNCATE seen, event_inbox'),
    lost: () => createDataSource({ url: 'postgres://127.0.0.1:1/nothing', entities: [], migrations: [] }).initialize().then(
      () => new Error('somebody answers there'),
      (error: Error) => error,
    ),
    close: () => database.close(),
  };
});
