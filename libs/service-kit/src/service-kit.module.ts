import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ReadinessChecks } from './health/readiness-checks';
import type { Logger } from './logging/logger';
import { LOGGER } from './logging/logger-token';
import { MetricsRegistry } from './metrics/metrics-registry';

/** What every provider may ask for: readiness checks, metrics, the logger. */
@Global()
@Module({})
export class ServiceKitModule {
  static forRoot(logger: Logger): DynamicModule {
    return {
      module: ServiceKitModule,
      providers: [ReadinessChecks, MetricsRegistry, { provide: LOGGER, useValue: logger }],
      exports: [ReadinessChecks, MetricsRegistry, LOGGER],
    };
  }
}
