import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { notificationsvcSettings } from './config';
import { takeOneClick } from './links/one-click';
import { openApi } from './openapi/openapi';

export const service = defineService({
  name: 'notificationsvc',
  settings: notificationsvcSettings,
  openApi,
  module: (settings) => AppModule.register(settings),
  configure: takeOneClick,
});
