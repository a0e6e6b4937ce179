import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { takeRowsUnparsed } from './imports/upload-body';
import { itemSettings } from './config';
import { Storage } from './storage/storage';

export const service = defineService({
  name: 'itemsvc',
  settings: itemSettings,
  openApi: {
    title: 'Items',
    description: [
      'Named items, their versions, related items, relationships, search and telemetry.',
      'Good to know:',
      '- a relation leads to the version of the related collection that was its tip when the relation was made, unless the request names another;',
      '- on `/inverserelationships` the fields `_relatedUserItem…` name the collection that the relation comes from;',
      '- a write needs EDIT (or CREATE where that is enough) on the collection; who may only READ it gets 403, who may not even that 404;',
      '- faults in the shape of a bulk request are answered with 400 at once, also above 1,000 items.',
      '- a grant on some related items of a collection opens these alone, in every operation on related items, relations and readings; a write that would take one in or out of them is 403;',
      '- with `_encryptionEnabled` a property whose name starts with `.` is encrypted at any depth, and none of its paths may stand in a filter, sort, distinct field or index: 400.',
    ].join('\n'),
    operationIds: {
      'GET /nameduseritems/{id}/versions/{versionId}': 'getItemVersionWithoutPrefix',
      'PUT /nameduseritems/{id}/versions/{versionId}': 'updateItemVersionWithoutPrefix',
      'DELETE /nameduseritems/{id}/versions/{versionId}': 'deleteItemVersionWithoutPrefix',
    },
  },
  module: (settings) => AppModule.register(settings),
  configure: async (app) => takeRowsUnparsed(app),
  prepareStores: (app) => app.get(Storage, { strict: false }).makeCollections(),
});
