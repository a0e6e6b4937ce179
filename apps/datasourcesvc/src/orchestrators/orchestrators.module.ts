import { Module } from '@nestjs/common';
import { RunsRepository } from '../runs/runs.repository';
import { OrchestratorsController } from './orchestrators.controller';
import { OrchestratorsPurge } from './orchestrators-purge';
import { OrchestratorsRepository } from './orchestrators.repository';
import { OrchestratorsService } from './orchestrators.service';
import { ProfileAssignment } from './profile-assignment';

@Module({
  controllers: [OrchestratorsController],
  providers: [OrchestratorsService, OrchestratorsPurge, OrchestratorsRepository, RunsRepository, ProfileAssignment],
  exports: [OrchestratorsService],
})
export class OrchestratorsModule {}
