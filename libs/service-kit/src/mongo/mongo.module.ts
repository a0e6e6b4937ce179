import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ReadinessChecks } from '../health/readiness-checks';
import type { Logger } from '../logging/logger';
import { LOGGER } from '../logging/logger-token';
import { UnitOfWork } from '../tx';
import { MongoConnection, type MongoOptions } from './mongo-connection';
import { MongoUnitOfWork } from './mongo-unit-of-work';

/** A probe asks every few seconds and does not wait long. */
const PING_MS = 1_500;

/** One MongoDB database of one service: the connection, and the unit of work on it. Stores make their collections themselves. */
@Global()
@Module({})
export class MongoModule implements OnApplicationShutdown {
  constructor(@Inject(MongoConnection) private readonly connection: MongoConnection) {}

  static forRoot(options: MongoOptions): DynamicModule {
    return {
      module: MongoModule,
      providers: [
        { provide: MongoConnection, inject: [ReadinessChecks, LOGGER], useFactory: (checks: ReadinessChecks, logger: Logger) => open(options, checks, logger) },
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

async function open(options: MongoOptions, checks: ReadinessChecks, logger: Logger): Promise<MongoConnection> {
  const connection = await MongoConnection.open(options, logger);
  checks.add('database', () => connection.ping(PING_MS));
  return connection;
}
