import { type BodyExamples, EXAMPLE_IDS } from '@twinyard/service-kit';

const { namespace, collection, relatedItem, telemetry, telemetryItem } = EXAMPLE_IDS;

const SOURCE = 't-1';
const PUMPS = [{ name: 'Pump 1', power: 1.1, maker: { name: 'Acme' } }, { name: 'Pump 2', power: 2.2, maker: { name: 'Acme' } }];
const CHANGED_PUMP = { _id: relatedItem, name: 'Pump 1', power: 1.5, maker: { name: 'Acme' } };
const RELATIONS = [{ _relatedFromId: relatedItem, _relatedUserItemDbId: collection, _relatedToIds: [relatedItem] }];
const VERSION = { _userAttributes: { source: 'survey of May' } };
const TELEMETRY_CONFIG = {
  _name: 'All sensors', _shortName: 'sensors', _userType: 'sensors', _namespaces: [namespace], _configData: { _bindings: [{ collectionDesc: { _userType: 'sensors' } }] },
};
const rowsOf = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

export const examples: BodyExamples = {
  createItems: [{
    _name: 'Pumps', _shortName: 'pumps', _description: 'All pumps of the house', _namespaces: [namespace], _userType: 'pumps', _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} },
  }],
  updateItem: { _name: 'Pumps of the house', _description: 'Also those of the garden', _userType: 'pumps', _namespaces: [namespace] },
  createRelatedItems: PUMPS,
  createRelatedItemsInBulk: PUMPS,
  replaceRelatedItems: [CHANGED_PUMP],
  replaceRelatedItemsInBulk: [CHANGED_PUMP],
  replaceRelatedItem: CHANGED_PUMP,
  deleteRelatedItems: [relatedItem],
  'importRelatedItems application/x-ndjson': rowsOf(PUMPS),
  'importRelatedItems text/csv': 'name,power,maker.name\nPump 1,1.1,Acme\nPump 2,2.2,Acme\n',
  saveRelationships: RELATIONS,
  saveManyRelationships: RELATIONS,
  deleteRelationships: RELATIONS,
  searchItems: {
    query: {
      $findWithRelated: {
        parent: { collectionDesc: { _id: collection }, query: { power: { $lte: 2 } }, options: { sort: { name: 1 }, page: { _offset: 0, _pageSize: 25 } } },
        related: [{ relatedDesc: { _relatedUserType: 'rooms', _isInverse: true }, as: 'rooms' }],
      },
    },
  },
  createIndex: [{ key: { power: 1 }, options: { name: 'by_power' } }],
  addMembers: [telemetry],
  createItemVersion: VERSION,
  updateItemVersion: VERSION,
  updateItemVersionWithoutPrefix: VERSION,
  saveReadings: [{ _ts: '2026-01-10T08:00:00Z', _tsMetadata: { _telItemId: telemetryItem, _sourceId: SOURCE }, celsius: 18.5 }],
  saveReadingsBySource: [{ _ts: '2026-01-10T08:00:00Z', _sourceId: SOURCE, celsius: 18.5 }],
  'importReadings application/x-ndjson': rowsOf([{ _ts: '2026-01-10T09:00:00Z', _tsMetadata: { _telItemId: telemetryItem, _sourceId: SOURCE }, celsius: 19 }]),
  'importReadings text/csv': `_ts,_tsMetadata._telItemId,_tsMetadata._sourceId,celsius\n2026-01-10T09:00:00Z,${telemetryItem},${SOURCE},19\n`,
  aggregateReadings: [
    { $match: { '_tsMetadata._sourceId': SOURCE } },
    { $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'month' } }, mean: { $avg: '$celsius' } } },
    { $sort: { _id: 1 } },
  ],
  saveSchemaDefinition: {
    _itemTypes: [{ _typeName: 'Pump', _type: 'object', _properties: { name: { _type: 'string' }, power: { _type: 'number', _description: 'kW' } }, _relationshipTypes: [], _readingTypes: ['Temperature'] }],
    _readingTypes: [{ _typeName: 'Temperature', _type: 'object', _properties: { celsius: { _type: 'number' } } }],
  },
  createTelemetryConfig: TELEMETRY_CONFIG,
  updateTelemetryConfig: TELEMETRY_CONFIG,
};
