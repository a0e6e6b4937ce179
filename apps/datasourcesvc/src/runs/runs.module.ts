import { type DynamicModule, Module } from '@nestjs/common';
import type { DatasourcesvcSettings } from '../config';
import { ExecutionModule } from '../execution/execution.module';
import { FollowedLogs, FollowTerms } from '../followed-logs/followed-logs';
import { OrchestratorsModule } from '../orchestrators/orchestrators.module';
import { CancelRuns } from '../run-requests/cancel-runs';
import { RetryRun } from '../run-requests/retry-run';
import { RunRecordsModule } from './run-records.module';
import { RunLogsRepository } from './run-logs.repository';
import { RunsController } from './runs.controller';
import { RunsPurge } from './runs-purge';
import { RunsService } from './runs.service';
import { StartRun } from './start-run';

@Module({})
export class RunsModule {
  static forRoot(settings: DatasourcesvcSettings): DynamicModule {
    return {
      module: RunsModule,
      imports: [RunRecordsModule, OrchestratorsModule, ExecutionModule.forRoot(settings)],
      controllers: [RunsController],
      providers: [
        RunsService, StartRun, CancelRuns, RetryRun, RunsPurge, RunLogsRepository, FollowedLogs,
        { provide: FollowTerms, useValue: new FollowTerms(settings.LOG_STREAMS, settings.TENANT_SHARE) },
      ],
    };
  }
}
