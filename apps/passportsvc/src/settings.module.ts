import { type DynamicModule, Global, Module } from '@nestjs/common';
import { PASSPORT_SETTINGS, type PassportSettings } from './config';

/** The settings of passportsvc, for every provider that asks for them. */
@Global()
@Module({})
export class SettingsModule {
  static of(settings: PassportSettings): DynamicModule {
    return { module: SettingsModule, providers: [{ provide: PASSPORT_SETTINGS, useValue: settings }], exports: [PASSPORT_SETTINGS] };
  }
}
