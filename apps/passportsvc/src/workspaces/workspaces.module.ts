import { Module } from '@nestjs/common';
import { PurgeWorkspace } from './purge-workspace';
import { WorkspacesController } from './workspaces.controller';
import { WorkspacesRepository } from './workspaces.repository';
import { WorkspacesService } from './workspaces.service';

@Module({ controllers: [WorkspacesController], providers: [PurgeWorkspace, WorkspacesRepository, WorkspacesService] })
export class WorkspacesModule {}
