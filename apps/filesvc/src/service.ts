import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { filesvcSettings } from './config';
import { openApi } from './openapi/openapi';
import { speakTus } from './resumable/tus-transport';
import { takeMultipartUnparsed } from './uploads/multipart';

export const service = defineService({
  name: 'filesvc',
  settings: filesvcSettings,
  openApi,
  module: (settings) => AppModule.register(settings),
  configure: async (app, settings) => {
    takeMultipartUnparsed(app);
    speakTus(app, settings.MAX_FILE_SIZE);
  },
});
