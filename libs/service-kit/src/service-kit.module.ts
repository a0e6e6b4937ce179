import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ReadinessChecks } from './health/readiness-checks';
import type { Logger } from './logging/logger';
import { LOGGER } from './logging/logger-token';
import { OpenRequests } from './logging/open-requests';
import { MetricsRegistry } from './metrics/metrics-registry';
import { MigrationPolicy } from './sql/migration-policy';

/** What every provider may ask for: readiness checks, metrics, the logger, whether to migrate. */
@Global()
@Module({})
export class ServiceKitModule {
  static forRoot(logger: Logger, migrations: MigrationPolicy): DynamicModule {
    return {
      module: ServiceKitModule,
      providers: [ReadinessChecks, MetricsRegistry, OpenRequests, { provide: LOGGER, useValue: logger }, { provide: MigrationPolicy, useValue: migrations }],
      exports: [ReadinessChecks, MetricsRegistry, LOGGER, MigrationPolicy],
    };
  }
}
