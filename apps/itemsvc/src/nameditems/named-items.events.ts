import type { EventOrigin, NewEvent } from '@twinyard/events';
import { resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import { sizeOf, type VersionCounters, type VersionRecord } from '../versions/version';
import type { NamedItem } from './named-item';

const itemFields = (item: NamedItem) => ({
  _id: item._id, _irn: item._irn, _name: item._name, _namespaces: [...item._namespaces], _userType: item._userType,
  _itemClass: item._itemClass, _userItemId: item._userItemId,
});

export const itemCreated = (item: NamedItem, origin: EventOrigin): NewEvent => resourceCreated(`itemsvc.${item._itemClass}`, itemFields(item), origin);
export const itemUpdated = (item: NamedItem, origin: EventOrigin): NewEvent => resourceUpdated(`itemsvc.${item._itemClass}`, itemFields(item), origin);
export const itemDeleted = (item: NamedItem, origin: EventOrigin): NewEvent => resourceDeleted(`itemsvc.${item._itemClass}`, itemFields(item), origin);

/** What events about a version, and about what lies in it, say of it. */
export const versionOwner = (item: NamedItem, versionId: string) => ({
  _id: versionId, _irn: item._irn, _name: item._name, _namespaces: [...item._namespaces], _userType: item._userType,
  _itemId: item._id, _userItemId: item._userItemId, _itemClass: item._itemClass,
});

const versionFields = (item: NamedItem, version: VersionRecord, counters: VersionCounters) => ({
  ...versionOwner(item, version._id), _version: version._version, _isTip: version._isTip,
  _size: sizeOf(counters), _relatedItemsCount: counters.relatedItemsCount,
});

export const versionCreated = (item: NamedItem, version: VersionRecord, counters: VersionCounters, origin: EventOrigin): NewEvent =>
  resourceCreated('itemsvc.Version', versionFields(item, version, counters), origin);

export const versionUpdated = (item: NamedItem, version: VersionRecord, counters: VersionCounters, origin: EventOrigin): NewEvent =>
  resourceUpdated('itemsvc.Version', versionFields(item, version, counters), origin);

/** With its related items and readings, which are gone with it. */
export const versionDeleted = (item: NamedItem, version: VersionRecord, origin: EventOrigin): NewEvent =>
  resourceDeleted('itemsvc.Version', { ...versionOwner(item, version._id), _version: version._version, _isTip: false, _size: 0, _relatedItemsCount: 0 }, origin);
