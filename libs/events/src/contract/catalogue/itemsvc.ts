import { z } from 'zod';
import { amount, contract, flag, text } from '../contract';

const topic = 'itemsvc.item';

const namedItem = (itemClass: string) =>
  contract({ topic, about: `a ${itemClass} was made, changed or deleted`, fields: { _itemClass: text, _userItemId: text } });

const owner = { _itemId: text, _userItemId: text, _itemClass: text };
const bulk = {
  ...owner,
  _versionId: text,
  _version: z.number().int().positive(),
  /** How many the write made, changed or removed. */
  changed: amount,
  /** The ids, when there are at most 100. */
  ids: z.array(text).max(100).optional(),
};

export const itemsvc = {
  'itemsvc.NamedUserCollection': namedItem('NamedUserCollection'),
  'itemsvc.NamedFileCollection': namedItem('NamedFileCollection'),
  'itemsvc.NamedTelemetryCollection': namedItem('NamedTelemetryCollection'),
  'itemsvc.NamedCompositeItem': namedItem('NamedCompositeItem'),
  'itemsvc.UserConfig': namedItem('UserConfig'),
  'itemsvc.Script': namedItem('Script'),
  'itemsvc.Version': contract({
    topic,
    key: '_itemId',
    about: 'a version of a named item was made, changed or deleted; `_size` is the bytes of its user data, attributes and related items',
    fields: { ...owner, _version: z.number().int().positive(), _isTip: flag, _size: amount, _relatedItemsCount: amount },
  }),
  'itemsvc.RelatedItems': contract({
    topic,
    key: '_itemId',
    about: 'related items of one collection version were written, one event per request; `_id` and `_irn` are those of the version; count and bytes are those of the version after the write',
    fields: { ...bulk, _relatedItemsCount: amount, _size: amount },
  }),
  'itemsvc.Readings': contract({
    topic,
    key: '_itemId',
    about: 'readings of one telemetry collection version were written or removed, one event per request; `_id` and `_irn` are those of the version; count and bytes are those after the write',
    fields: { ...bulk, _readingsCount: amount, _timeSeriesSize: amount },
  }),
  'itemsvc.SchemaDefinition': contract({ topic: 'itemsvc.schemadefinition', about: 'the schema definition of a namespace was made, changed or deleted' }),
  'itemsvc.TelemetryConfig': contract({ topic: 'itemsvc.telemetryconfig', about: 'a telemetry config was made, changed or deleted' }),
};
