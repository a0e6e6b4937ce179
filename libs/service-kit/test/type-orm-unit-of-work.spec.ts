import { createTestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import { createDataSource, TypeOrmUnitOfWork } from '../src';
import { describeUnitOfWork } from './unit-of-work.contract';

describeUnitOfWork('PostgreSQL through TypeORM', async () => {
  const database = await createTestDatabase();
  const dataSource = await createDataSource({ url: database.url, entities: [], migrations: [], poolSize: 5 }).initialize();
  return {
    unitOfWork: new TypeOrmUnitOfWork(dataSource),
    dropConnections: async () => {
      const other = new Client({ connectionString: database.url });
      await other.connect();
      await other.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
      await other.end();
    },
    close: async () => {
      await dataSource.destroy();
      await database.drop();
    },
  };
});
