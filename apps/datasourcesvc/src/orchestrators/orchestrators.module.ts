import { Module } from '@nestjs/common';
import { RunRecordsModule } from '../runs/run-records.module';
import { ScheduleOrders } from '../schedules/due-runs/schedule-orders';
import { OrchestratorRecords } from '../schedules/orchestrator-records';
import { SchedulesRepository } from '../schedules/schedules.repository';
import { OrchestratorWork } from './orchestrator-work';
import { OrchestratorsController } from './orchestrators.controller';
import { OrchestratorsPurge } from './orchestrators-purge';
import { OrchestratorsRepository } from './orchestrators.repository';
import { OrchestratorsService } from './orchestrators.service';
import { ProfileAssignment } from './profile-assignment';

@Module({
  imports: [RunRecordsModule],
  controllers: [OrchestratorsController],
  providers: [
    OrchestratorsService, OrchestratorsPurge, OrchestratorsRepository, OrchestratorRecords, OrchestratorWork, ProfileAssignment, ScheduleOrders, SchedulesRepository,
  ],
  exports: [OrchestratorsService, ScheduleOrders, SchedulesRepository],
})
export class OrchestratorsModule {}
