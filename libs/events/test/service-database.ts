import { createDataSource, migrate, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { EventsTables1700000000000 } from '../src/events-migration';

export interface ServiceDatabase {
  readonly url: string;
  readonly dataSource: DataSource;
  readonly unitOfWork: TypeOrmUnitOfWork;
  close(): Promise<void>;
}

/** The database of a service that publishes and handles events, with a table for the handlers to write to. */
export async function openServiceDatabase(): Promise<ServiceDatabase> {
  const database = await createTestDatabase();
  const dataSource = await createDataSource({ url: database.url, entities: [], migrations: [EventsTables1700000000000] }).initialize();
  await migrate(dataSource);
  await dataSource.query('CREATE TABLE seen (place serial, name text)');
  const close = async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await database.drop();
  };
  return { url: database.url, dataSource, unitOfWork: new TypeOrmUnitOfWork(dataSource), close };
}
