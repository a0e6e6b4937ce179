import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { datasourcesvcSettings } from './config';
import { openApi } from './openapi/openapi';

export const service = defineService({
  name: 'datasourcesvc',
  settings: datasourcesvcSettings,
  openApi,
  module: (settings) => AppModule.register(settings),
});
