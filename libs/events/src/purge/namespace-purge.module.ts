import { type DynamicModule, Global, Inject, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { ServiceName } from '@twinyard/conventions';
import type { BaseSettings } from '@twinyard/service-kit';
import { JobsPurge } from './jobs-purge';
import { NamespaceContents } from './namespace-contents';
import { PURGE_OPTIONS, type PurgeOptions } from './purge-job';
import { PurgeRequests } from './purge-requests';
import { PurgeStore } from './purge-store';
import { PurgeMetrics, PurgeWorker } from './purge-worker';
import { SqlPurgeStore } from './sql-purge-store';

/**
 * Empties purged namespaces in one service:
 *
 *     imports: [NamespacePurgeModule.forRoot('filesvc', settings), …]
 *
 * Beside `EventsModule` and `JobsModule`, with `NamespacePurges1700000000020` among the migrations (on MongoDB `PURGE_COLLECTIONS` and
 * `MongoPurgeStore`). What is emptied say the providers that extend `NamespacePurge`; its background jobs are too.
 */
@Global()
@Module({})
export class NamespacePurgeModule {
  /** Has the gauge registered. */
  constructor(@Inject(PurgeMetrics) readonly metrics: PurgeMetrics) {}

  static forRoot(service: ServiceName, settings: Pick<BaseSettings, 'PURGE_SETTLE_SECONDS'>, store: Type<PurgeStore> = SqlPurgeStore): DynamicModule {
    const options: PurgeOptions = { service, settleMs: settings.PURGE_SETTLE_SECONDS * 1_000 };
    return {
      module: NamespacePurgeModule,
      imports: [DiscoveryModule],
      providers: [{ provide: PURGE_OPTIONS, useValue: options }, { provide: PurgeStore, useClass: store }, PurgeWorker, NamespaceContents, PurgeRequests, PurgeMetrics, JobsPurge],
      exports: [PurgeStore],
    };
  }
}
