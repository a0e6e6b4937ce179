import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { aisvcSettings } from './config';
import { openApi } from './openapi/openapi';

export const service = defineService({
  name: 'aisvc',
  settings: aisvcSettings,
  openApi,
  module: (settings) => AppModule.register(settings),
});
