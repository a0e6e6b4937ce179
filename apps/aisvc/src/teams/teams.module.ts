import { Module } from '@nestjs/common';
import { TeamsController } from './teams.controller';
import { TeamsPurge } from './teams-purge';
import { TeamsRepository } from './teams.repository';
import { TeamsService } from './teams.service';

@Module({ controllers: [TeamsController], providers: [TeamsService, TeamsRepository, TeamsPurge] })
export class TeamsModule {}
