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
  const service = await joinServiceDatabase(database.url);
  await migrate(service.dataSource);
  await service.dataSource.query('CREATE TABLE seen (place serial, name text)');
  return { ...service, close: () => service.close().then(() => database.drop()) };
}

/** The same one, for another process of the service. */
export async function joinServiceDatabase(url: string): Promise<ServiceDatabase> {
  const dataSource = await createDataSource({ url, entities: [], migrations: [EventsTables1700000000000] }).initialize();
  const close = async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
  };
  return { url, dataSource, unitOfWork: new TypeOrmUnitOfWork(dataSource), close };
}
