import { type DynamicModule, Module } from '@nestjs/common';
import { PassportClient } from '@twinyard/auth';
import type { DatasourcesvcSettings } from '../config';
import { PlatformAccess } from '../platform-client/platform-access';
import { HeldRunsRepository } from './held-runs.repository';
import { RunExecution } from './run-execution';
import { RunJournal } from './run-journal';
import { RunWorker, WorkerOptions } from './run-worker';
import { RunsMetrics } from './runs-metrics';

@Module({})
export class ExecutionModule {
  static forRoot(settings: DatasourcesvcSettings): DynamicModule {
    const addresses = { itemsvc: settings.ITEMSVC_URL, filesvc: settings.FILESVC_URL };
    const { RUN_LEASE_MS: leaseMs, RUN_HEARTBEAT_MS: heartbeatMs, RUN_POLL_MS: pollMs, RUN_CONCURRENCY: concurrency } = settings;
    return {
      module: ExecutionModule,
      providers: [
        HeldRunsRepository, RunJournal, RunExecution, RunWorker, RunsMetrics,
        { provide: WorkerOptions, useValue: new WorkerOptions(leaseMs, heartbeatMs, pollMs, concurrency) },
        { provide: PlatformAccess, inject: [PassportClient], useFactory: (passport: PassportClient) => new PlatformAccess(passport, addresses) },
      ],
      exports: [RunWorker],
    };
  }
}
