import { DataSource, type DataSourceOptions, type EntitySchema, type MixedList } from 'typeorm';
import { columnValues } from './column-values';

type Class = abstract new (...args: never[]) => unknown;

export interface SqlOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly entities: MixedList<Class | string | EntitySchema>;
  readonly migrations: MixedList<Class | string>;
  /** Connections of the pool; the one-machine platform runs seven services on one server, so it is small. */
  readonly poolSize?: number;
}

export function createDataSource(options: SqlOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url: options.url,
    entities: options.entities,
    migrations: options.migrations,
    migrationsTransactionMode: 'each',
    poolSize: options.poolSize ?? 5,
    extra: { idleTimeoutMillis: 2_000, connectionTimeoutMillis: 5_000, types: columnValues },
    logging: false,
  } as DataSourceOptions);
}
