import { ANSWER_BYTES } from '@twinyard/conventions';
import { Client, type ClientConfig } from 'pg';
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
  /** What an answer weighs at most: see `sliceOf`. */
  readonly answerBytes?: number;
}

const answerBytes = new WeakMap<DataSource, number>();

/** What an answer made of rows of this database weighs at most. */
export const answerBytesOf = (dataSource: DataSource): number => answerBytes.get(dataSource) ?? ANSWER_BYTES;

/**
 * How long a connection is waited for, a new one or one that others have. The clock runs on while the process stands still or waits for
 * its turn on a busy machine: of five seconds it made refusals of a database that had answered long since.
 */
const CONNECT_MS = 15_000;

/** A connection that is lost while it changes hands, which the pool hears of no more and its owner not yet: unheard, it would end the process. */
class HeardClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => undefined); // the next statement on it is refused
  }
}

export function createDataSource(options: SqlOptions): DataSource {
  const dataSource = new DataSource({
    type: 'postgres',
    url: options.url,
    entities: options.entities,
    migrations: options.migrations,
    migrationsTransactionMode: 'each',
    poolSize: options.poolSize ?? 5,
    extra: { idleTimeoutMillis: 2_000, connectionTimeoutMillis: CONNECT_MS, types: columnValues, Client: HeardClient },
    logging: false,
  } as DataSourceOptions);
  if (options.answerBytes !== undefined) answerBytes.set(dataSource, options.answerBytes);
  return dataSource;
}

/** For a command of an operator: closed when its work has ended. One connection, no entities unless it says more. */
export async function withDataSource<T>(options: Pick<SqlOptions, 'url'> & Partial<Pick<SqlOptions, 'entities' | 'poolSize'>>, work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const dataSource = await createDataSource({ entities: [], migrations: [], poolSize: 1, ...options }).initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
