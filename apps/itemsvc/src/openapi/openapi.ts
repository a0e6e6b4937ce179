import { FILTER_SCHEMAS, PIPELINE_SCHEMAS } from '@twinyard/documents';
import { type OpenApiInfo, PAGE_SCHEMA } from '@twinyard/service-kit';
import { SEARCH_SCHEMAS } from '../search/search-schema';
import { examples } from './examples';

export const openApi: OpenApiInfo = {
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
  tags: [
    { name: 'named items', description: 'Collections, composites, scripts and settings' },
    { name: 'related items', description: 'The items of a collection' },
    { name: 'relationships', description: 'From one item to others' },
    { name: 'search', description: 'Items with what is related to them, however deep' },
    { name: 'telemetry', description: 'Readings, where they come from, and what they come to' },
    { name: 'import and export', description: 'Files of items and of readings, of any size' },
    { name: 'item versions', description: 'Versions of a named item' },
    { name: 'composites', description: 'Collections that belong together' },
    { name: 'schema definitions', description: 'The types of items and readings of a namespace' },
    { name: 'indexes', description: 'What makes queries fast, and keeps values unique' },
    { name: 'update logs', description: 'What has changed, when, and by whom' },
    { name: 'requests', description: 'What became of work that goes on after its answer' },
  ],
  examples,
  open: ['RelatedItemDto', 'ReadingDto', 'GatewayReadingDto'],
  schemas: { ...FILTER_SCHEMAS, ...PIPELINE_SCHEMAS, ...SEARCH_SCHEMAS, PageOptions: PAGE_SCHEMA },
};
