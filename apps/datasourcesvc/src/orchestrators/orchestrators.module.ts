import { Module } from '@nestjs/common';
import { OrchestratorsController } from './orchestrators.controller';
import { OrchestratorsRepository } from './orchestrators.repository';
import { OrchestratorsService } from './orchestrators.service';

@Module({ controllers: [OrchestratorsController], providers: [OrchestratorsService, OrchestratorsRepository], exports: [OrchestratorsService] })
export class OrchestratorsModule {}
