import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type NotificationsvcSettings, SETTINGS } from './config';

@Global()
@Module({})
export class SettingsModule {
  static forRoot(settings: NotificationsvcSettings): DynamicModule {
    return { module: SettingsModule, providers: [{ provide: SETTINGS, useValue: settings }], exports: [SETTINGS] };
  }
}
