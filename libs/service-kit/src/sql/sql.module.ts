import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ReadinessChecks } from '../health/readiness-checks';
import type { Logger } from '../logging/logger';
import { LOGGER } from '../logging/logger-token';
import { UnitOfWork } from '../tx';
import { createDataSource, type SqlOptions } from './data-source';
import { MigrationPolicy } from './migration-policy';
import { migrate, requireMigrated } from './migrations';
import { QuietConnection } from './quiet-connection';
import { TypeOrmUnitOfWork } from './type-orm-unit-of-work';

/** One database of one service: the data source, migrated, the unit of work on it, and the connection that hears its notices. */
@Global()
@Module({})
export class SqlModule implements OnApplicationShutdown {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource, @Inject(QuietConnection) private readonly quiet: QuietConnection) {}

  static forRoot(options: SqlOptions): DynamicModule {
    return {
      module: SqlModule,
      providers: [
        {
          provide: DataSource,
          inject: [ReadinessChecks, MigrationPolicy, LOGGER],
          useFactory: (checks: ReadinessChecks, policy: MigrationPolicy, logger: Logger) => open(options, checks, policy, logger),
        },
        { provide: QuietConnection, inject: [LOGGER], useFactory: (logger: Logger) => new QuietConnection(options.url, logger) },
        {
          provide: TypeOrmUnitOfWork,
          inject: [DataSource, QuietConnection],
          useFactory: (source: DataSource, quiet: QuietConnection) => new TypeOrmUnitOfWork(source, quiet),
        },
        { provide: UnitOfWork, useExisting: TypeOrmUnitOfWork },
      ],
      exports: [DataSource, QuietConnection, TypeOrmUnitOfWork, UnitOfWork],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.quiet.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

async function open(options: SqlOptions, checks: ReadinessChecks, policy: MigrationPolicy, logger: Logger): Promise<DataSource> {
  const dataSource = await createDataSource(options).initialize();
  if (policy.migrates) await migrate(dataSource, logger);
  else await requireMigrated(dataSource);
  await warnOfLocale(dataSource, logger);
  checks.add('database', async () => {
    await dataSource.query('SELECT 1');
  });
  return dataSource;
}

/** Names, addresses and filters are compared without case: in the locale `C` that holds for the letters of English alone. */
async function warnOfLocale(dataSource: DataSource, logger: Logger): Promise<void> {
  const [found] = await dataSource.query<{ fits: boolean }[]>(`SELECT lower('SÖHNE') = 'söhne' AS fits`);
  if (found?.fits !== true) logger.warn('The locale of the database knows upper and lower case of English letters alone; see docs/operations/upgrade.md, "Locale"');
}
