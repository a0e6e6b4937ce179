import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { Logger } from './logging/logger';
import { ServiceKitModule } from './service-kit.module';
import type { MigrationPolicy } from './sql/migration-policy';

/** A service and what the kit gives to every service. */
@Module({})
export class RootModule {
  static of(service: DynamicModule, logger: Logger, migrations: MigrationPolicy): DynamicModule {
    return { module: RootModule, imports: [DiscoveryModule, ServiceKitModule.forRoot(logger, migrations), service] };
  }
}
