import { type DynamicModule, Module } from '@nestjs/common';
import { PassportClient } from '@twinyard/auth';
import type { DatasourcesvcSettings } from '../config';
import { PlatformAccess } from '../platform-client/platform-access';
import { RunsRepository } from '../runs/runs.repository';
import { HeldRunsRepository } from './held-runs.repository';
import { InstantRuns } from './instant-runs';
import { LeftOverRuns } from './left-over-runs';
import { RunExecution } from './run-execution';
import { RunJournal } from './run-journal';
import { RunOrders } from './run-orders';
import { RunWatch } from './run-watch';
import { RunWorker, WorkerOptions } from './run-worker';
import { RunsMetrics } from './runs-metrics';

@Module({})
export class ExecutionModule {
  static forRoot(settings: DatasourcesvcSettings): DynamicModule {
    const addresses = { itemsvc: settings.ITEMSVC_URL, filesvc: settings.FILESVC_URL };
    return {
      module: ExecutionModule,
      providers: [
        HeldRunsRepository, InstantRuns, LeftOverRuns, RunJournal, RunExecution, RunOrders, RunWatch, RunWorker, RunsMetrics, RunsRepository,
        { provide: WorkerOptions, useValue: new WorkerOptions(settings.RUN_LEASE_MS, settings.RUN_CONCURRENCY) },
        { provide: PlatformAccess, inject: [PassportClient], useFactory: (passport: PassportClient) => new PlatformAccess(passport, addresses) },
      ],
      exports: [InstantRuns, RunJournal, RunOrders, RunWatch],
    };
  }
}
