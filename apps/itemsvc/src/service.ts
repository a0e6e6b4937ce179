import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { takeRowsUnparsed } from './imports/upload-body';
import { itemSettings } from './config';
import { openApi } from './openapi/openapi';
import { Storage } from './storage/storage';

export const service = defineService({
  name: 'itemsvc',
  settings: itemSettings,
  openApi,
  module: (settings) => AppModule.register(settings),
  configure: async (app) => takeRowsUnparsed(app),
  prepareStores: (app) => app.get(Storage, { strict: false }).makeCollections(),
});
