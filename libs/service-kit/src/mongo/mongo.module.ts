import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ReadinessChecks } from '../health/readiness-checks';
import type { Logger } from '../logging/logger';
import { LOGGER } from '../logging/logger-token';
import { MigrationPolicy } from '../sql/migration-policy';
import { UnitOfWork } from '../tx';
import { type MongoCollections, MongoConnection, type MongoOptions } from './mongo-connection';
import { MongoUnitOfWork } from './mongo-unit-of-work';

/** A probe asks every few seconds and does not wait long. */
const PING_MS = 1_500;

export interface MongoModuleOptions extends MongoOptions {
  /** Of the stores that the service uses: `{ ...EVENTS_COLLECTIONS, ...DURABLE_REQUESTS_COLLECTIONS }`. */
  readonly collections: MongoCollections;
}

/** One MongoDB database of one service: the connection, the collections, and the unit of work on it. */
@Global()
@Module({})
export class MongoModule implements OnApplicationShutdown {
  constructor(@Inject(MongoConnection) private readonly connection: MongoConnection) {}

  static forRoot(options: MongoModuleOptions): DynamicModule {
    return {
      module: MongoModule,
      providers: [
        {
          provide: MongoConnection,
          inject: [ReadinessChecks, MigrationPolicy, LOGGER],
          useFactory: (checks: ReadinessChecks, policy: MigrationPolicy, logger: Logger) => open(options, checks, policy, logger),
        },
        { provide: MongoUnitOfWork, inject: [MongoConnection], useFactory: (connection: MongoConnection) => new MongoUnitOfWork(connection) },
        { provide: UnitOfWork, useExisting: MongoUnitOfWork },
      ],
      exports: [MongoConnection, MongoUnitOfWork, UnitOfWork],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connection.close();
  }
}

async function open(options: MongoModuleOptions, checks: ReadinessChecks, policy: MigrationPolicy, logger: Logger): Promise<MongoConnection> {
  const connection = await MongoConnection.open(options, logger);
  try {
    if (policy.migrates) await connection.ensure(options.collections);
    else await connection.require(options.collections);
  } catch (error) {
    await connection.close();
    throw error;
  }
  checks.add('database', () => connection.ping(PING_MS));
  return connection;
}
