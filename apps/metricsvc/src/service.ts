import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { metricsvcSettings } from './config';
import { openApi } from './openapi/openapi';

export const service = defineService({
  name: 'metricsvc',
  settings: metricsvcSettings,
  openApi,
  module: (settings) => AppModule.register(settings),
});
