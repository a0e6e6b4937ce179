import { type NewEvent, resourceCreated, resourceDeleted, type ResourceEvent, type ResourceType, resourceUpdated } from '@twinyard/events';

const origin = { userId: 'alice', requestId: 'r' };
export const NS = 'house_a1B2c3D4';

const file = (id: string, size: number, version: number) => ({
  _id: id, _irn: `filesvc:file:${id}`, _name: `${id}.ifc`, _namespaces: [NS], _parents: [], _tipId: `${id}-${version}`, _tipVersion: version, _fileSize: size, _tags: [], _graphics: false,
});
const fileVersion = (fileId: string, version: number, size: number) => ({
  _id: `${fileId}-${version}`, _irn: `filesvc:file:${fileId}`, _namespaces: [NS], _fileId: fileId, _version: version, _fileSize: size, _graphics: false,
});
const preview = (fileId: string, version: number, size: number) => ({
  _id: `${fileId}-${version}-preview`, _irn: `filesvc:file:${fileId}`, _namespaces: [NS], _fileId: fileId, _fileVersionId: `${fileId}-${version}`, _version: version, _fileSize: size,
});
const item = { _id: 'i1', _irn: 'itemsvc:nameduseritem:i1', _namespaces: [NS], _itemClass: 'NamedUserCollection', _userItemId: 'walls_1' };
const ofItem = { _irn: item._irn, _namespaces: [NS], _itemId: 'i1', _userItemId: 'walls_1', _itemClass: 'NamedUserCollection' };
const version = (n: number, size: number, count: number) => ({ ...ofItem, _id: `v${n}`, _version: n, _isTip: true, _size: size, _relatedItemsCount: count });
const bulk = (n: number, size: number, count: number) => ({ ...ofItem, _id: `v${n}`, _versionId: `v${n}`, _version: n, changed: 5, _size: size, _relatedItemsCount: count });

/** Two files with their pictures and a collection, over five hours: made, grown, emptied, deleted. Each event with the hour it happened in. */
const STORY: readonly (readonly [hour: number, event: NewEvent])[] = [
  [0, resourceCreated('filesvc.File', file('f1', 100, 1), origin)],
  [0, resourceCreated('filesvc.FileVersion', fileVersion('f1', 1, 100), origin)],
  [1, resourceUpdated('filesvc.File', file('f1', 250, 2), origin)],
  [1, resourceCreated('filesvc.FileVersion', fileVersion('f1', 2, 250), origin)],
  [1, resourceCreated('filesvc.File', file('f2', 7, 1), origin)],
  [2, resourceCreated('filesvc.FileVersion', fileVersion('f2', 1, 7), origin)],
  [2, resourceCreated('filesvc.Preview', preview('f1', 1, 3_000), origin)],
  [2, resourceCreated('filesvc.Preview', preview('f1', 2, 4_000), origin)],
  [3, resourceCreated('filesvc.Preview', preview('f2', 1, 500), origin)],
  [3, resourceDeleted('filesvc.FileVersion', fileVersion('f1', 1, 100), origin)],
  [4, resourceDeleted('filesvc.File', file('f2', 7, 1), origin)],
  [0, resourceCreated('itemsvc.NamedUserCollection', item, origin)],
  [0, resourceCreated('itemsvc.Version', version(1, 2, 0), origin)],
  [1, resourceUpdated('itemsvc.RelatedItems', bulk(1, 500, 5), origin)],
  [2, resourceUpdated('itemsvc.RelatedItems', bulk(1, 900, 9), origin)],
  [2, resourceCreated('itemsvc.Version', version(2, 2, 0), origin)],
  [3, resourceUpdated('itemsvc.RelatedItems', bulk(2, 40, 1), origin)],
  [4, resourceDeleted('itemsvc.Version', version(1, 900, 9), origin)],
];

const START = Date.parse('2026-03-01T10:00:00.000Z');
export const hourStamp = (hour: number) => new Date(START + hour * 3_600_000).toISOString();

/** The story as a handler gets it: numbered within each aggregate. */
export function eventsOfTheStory(): ResourceEvent<ResourceType>[] {
  const numbers = new Map<string, number>();
  return STORY.map(([hour, event], index) => {
    const sequence = (numbers.get(event.key) ?? 0) + 1;
    numbers.set(event.key, sequence);
    return { ...event, timestamp: new Date(START + hour * 3_600_000 + index * 60_000).toISOString(), sequence };
  });
}
