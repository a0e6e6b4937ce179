import { newUuid } from '@twinyard/conventions';
import { createTestDatabase } from '@twinyard/testing';
import { createDataSource, DurableRequestProgress1700000000040, DurableRequestsTable1700000000010, migrate, SqlDurableRequestStore, type SqlTx, TypeOrmUnitOfWork } from '../src';
import { describeDurableRequests } from './durable-requests.contract';

describeDurableRequests<SqlTx>('PostgreSQL', async () => {
  const database = await createTestDatabase();
  const source = await createDataSource({ url: database.url, entities: [], migrations: [DurableRequestsTable1700000000010, DurableRequestProgress1700000000040] }).initialize();
  await migrate(source);
  await source.query('create table done (request uuid, note text)');
  const unitOfWork = new TypeOrmUnitOfWork(source);
  return {
    store: new SqlDurableRequestStore(unitOfWork),
    unitOfWork,
    note: async (tx, requestId, text) => void (await tx.query('insert into done values ($1, $2)', [requestId, text])),
    notes: () => source.query('select request as "requestId", note as text from done'),
    takeOver: (id) => source.query(`update durable_requests set leased_by = $1, leased_until = now() + interval '1 hour' where id = $2`, [newUuid(), id]),
    clear: async () => {
      await source.query('delete from durable_requests');
      await source.query('delete from done');
    },
    close: async () => {
      await source.destroy();
      await database.drop();
    },
  };
});
