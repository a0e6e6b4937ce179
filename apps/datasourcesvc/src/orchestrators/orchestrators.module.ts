import { Module } from '@nestjs/common';
import { RunRecordsModule } from '../runs/run-records.module';
import { OrchestratorRecords } from '../schedules/orchestrator-records';
import { SchedulesRepository } from '../schedules/schedules.repository';
import { OrchestratorsController } from './orchestrators.controller';
import { OrchestratorsPurge } from './orchestrators-purge';
import { OrchestratorsRepository } from './orchestrators.repository';
import { OrchestratorsService } from './orchestrators.service';
import { ProfileAssignment } from './profile-assignment';

@Module({
  imports: [RunRecordsModule],
  controllers: [OrchestratorsController],
  providers: [OrchestratorsService, OrchestratorsPurge, OrchestratorsRepository, OrchestratorRecords, ProfileAssignment, SchedulesRepository],
  exports: [OrchestratorsService, SchedulesRepository],
})
export class OrchestratorsModule {}
