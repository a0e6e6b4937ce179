import { Module } from '@nestjs/common';
import { HeldRunsRepository } from '../execution/held-runs.repository';
import { RunJournal } from '../execution/run-journal';
import { RunCancellation } from '../runs/run-cancellation';
import { RunsRepository } from '../runs/runs.repository';
import { OrchestratorsController } from './orchestrators.controller';
import { OrchestratorsPurge } from './orchestrators-purge';
import { OrchestratorsRepository } from './orchestrators.repository';
import { OrchestratorsService } from './orchestrators.service';
import { ProfileAssignment } from './profile-assignment';

@Module({
  controllers: [OrchestratorsController],
  providers: [OrchestratorsService, OrchestratorsPurge, OrchestratorsRepository, RunCancellation, RunsRepository, HeldRunsRepository, RunJournal, ProfileAssignment],
  exports: [OrchestratorsService],
})
export class OrchestratorsModule {}
