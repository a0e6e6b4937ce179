import { Global, Module } from '@nestjs/common';
import { AppConfigurationsController } from './app-configurations.controller';
import { AppSecretsController } from './app-secrets.controller';
import { AppSecrets } from './app-secrets.service';
import { AppsController } from './apps.controller';
import { AppsRepository } from './apps.repository';
import { AppsService } from './apps.service';
import { ConsoleSeed } from './console-seed';

@Global()
@Module({ controllers: [AppConfigurationsController, AppSecretsController, AppsController], providers: [AppSecrets, AppsRepository, AppsService, ConsoleSeed], exports: [AppsRepository, AppsService] })
export class AppsModule {}
