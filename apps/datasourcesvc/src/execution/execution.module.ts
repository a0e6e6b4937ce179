import { type DynamicModule, Module } from '@nestjs/common';
import { PassportClient } from '@twinyard/auth';
import { type DatasourcesvcSettings, platformAddressesOf } from '../config';
import { PlatformAccess } from '../platform-client/platform-access';
import { RunRecordsModule } from '../runs/run-records.module';
import { InstantRuns, InstantTerms } from './instant-runs';
import { LeftOverRuns } from './left-over-runs';
import { RunExecution } from './run-execution';
import { RunWatch } from './run-watch';
import { RunWorker, WorkerOptions } from './run-worker';
import { RunsMetrics } from './runs-metrics';

@Module({})
export class ExecutionModule {
  static forRoot(settings: DatasourcesvcSettings): DynamicModule {
    const addresses = platformAddressesOf(settings);
    return {
      module: ExecutionModule,
      imports: [RunRecordsModule],
      providers: [
        InstantRuns, LeftOverRuns, RunExecution, RunWatch, RunWorker, RunsMetrics,
        { provide: WorkerOptions, useValue: new WorkerOptions(settings.RUN_LEASE_MS, settings.RUN_CONCURRENCY, settings.RUN_PER_NAMESPACE) },
        { provide: InstantTerms, useValue: new InstantTerms(settings.INSTANT_RUN_SECONDS) },
        { provide: PlatformAccess, inject: [PassportClient], useFactory: (passport: PassportClient) => new PlatformAccess(passport, addresses) },
      ],
      exports: [InstantRuns, RunRecordsModule, RunWatch],
    };
  }
}
