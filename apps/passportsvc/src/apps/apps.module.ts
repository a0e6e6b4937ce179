import { Global, Module } from '@nestjs/common';
import { AppConfigurationsController } from './app-configurations.controller';
import { AppsController } from './apps.controller';
import { AppsRepository } from './apps.repository';
import { AppsService } from './apps.service';
import { ConsoleSeed } from './console-seed';

@Global()
@Module({ controllers: [AppConfigurationsController, AppsController], providers: [AppsRepository, AppsService, ConsoleSeed], exports: [AppsRepository, AppsService] })
export class AppsModule {}
