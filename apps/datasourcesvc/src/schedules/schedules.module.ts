import { Module } from '@nestjs/common';
import { OrchestratorsModule } from '../orchestrators/orchestrators.module';
import { RunRecordsModule } from '../runs/run-records.module';
import { DueRuns } from './due-runs/due-runs';
import { RefusedRuns } from './due-runs/refused-runs';
import { ScheduleWorker } from './due-runs/schedule-worker';
import { WritersRights } from './due-runs/writers-rights';
import { SchedulesController } from './schedules.controller';
import { SchedulesPurge } from './schedules-purge';
import { SchedulesService } from './schedules.service';

@Module({
  imports: [RunRecordsModule, OrchestratorsModule],
  controllers: [SchedulesController],
  providers: [SchedulesService, SchedulesPurge, ScheduleWorker, DueRuns, RefusedRuns, WritersRights],
})
export class SchedulesModule {}
