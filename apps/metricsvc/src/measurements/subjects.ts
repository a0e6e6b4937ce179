import type { ResourceEvent, ResourceOf } from '@twinyard/events';
import { COLLECTION_CLASSES, type CollectionClass, ITEM_CLASSES, type ItemClass } from '../metrics/metric-catalogue';
import type { Contribution } from './contribution';

export const MEASURED_TYPES = [
  'filesvc.File', 'filesvc.FileVersion', 'filesvc.Preview', 'itemsvc.NamedUserCollection', 'itemsvc.NamedFileCollection', 'itemsvc.NamedTelemetryCollection',
  'itemsvc.NamedCompositeItem', 'itemsvc.UserConfig', 'itemsvc.Script', 'itemsvc.Version', 'itemsvc.RelatedItems', 'itemsvc.Readings',
  'passportsvc.Workspace', 'passportsvc.UserGroup',
] as const;
export type MeasuredType = (typeof MEASURED_TYPES)[number];
export type MeasuredEvent = ResourceEvent<MeasuredType>;

/** What an event says of one measured thing. */
export interface Statement {
  /** Names the thing: what it said before is replaced. */
  readonly subject: string;
  /** The file or item that it belongs to: when that is deleted, so is everything that it owns. */
  readonly owner: string;
  /** In which it lies, or lay until now, and therefore counts. */
  readonly namespaces: readonly string[];
  readonly contributions: readonly Contribution[];
  /** Present when the owner itself is gone. */
  readonly endsOwner?: true;
  /** Subjects that are gone with this one. */
  readonly endsParts?: readonly string[];
}

type ItemResource = ResourceOf<'itemsvc.NamedUserCollection' | 'itemsvc.NamedFileCollection' | 'itemsvc.NamedTelemetryCollection' | 'itemsvc.NamedCompositeItem' | 'itemsvc.UserConfig' | 'itemsvc.Script'>;
type VersionFacts = Pick<ResourceOf<'itemsvc.Version'>, '_namespaces' | '_userItemId' | '_itemClass' | '_version' | '_size' | '_relatedItemsCount'>;

/** Reads an event. Values are absolute, so a thing's statement replaces its last one, whatever was lost or doubled between. */
export function statementOf({ event, resource }: Pick<MeasuredEvent, 'event' | 'resource'>): Statement {
  const gone = event === 'resource.ResourceDeleted';
  const namespaces = namespacesOf(resource);
  switch (resource.type) {
    case 'filesvc.File':
      return { subject: `file:${resource._id}`, owner: resource._id, namespaces, ...ending(gone), contributions: gone ? [] : fileCount(resource) };
    case 'filesvc.FileVersion':
      return { subject: `fileversion:${resource._id}`, owner: resource._fileId, namespaces, contributions: gone ? [] : fileVersion(resource), ...endingPreview(gone, resource) };
    case 'filesvc.Preview':
      return { subject: `preview:${resource._fileVersionId}`, owner: resource._fileId, namespaces, contributions: gone ? [] : previewSize(resource) };
    case 'itemsvc.Version':
      return { subject: `version:${resource._id}`, owner: resource._itemId, namespaces, contributions: gone ? [] : itemVersion(resource), ...endingReadings(gone, resource) };
    case 'itemsvc.RelatedItems':
      return { subject: `version:${resource._versionId}`, owner: resource._itemId, namespaces, contributions: itemVersion(resource) };
    case 'itemsvc.Readings':
      return { subject: `readings:${resource._versionId}`, owner: resource._itemId, namespaces, contributions: timeSeries(resource) };
    case 'passportsvc.Workspace':
    case 'passportsvc.UserGroup':
      return { subject: `${resource.type}:${resource._id}`, owner: resource._id, namespaces, contributions: gone ? [] : applicationCount(resource) };
    case 'itemsvc.NamedUserCollection':
    case 'itemsvc.NamedFileCollection':
    case 'itemsvc.NamedTelemetryCollection':
    case 'itemsvc.NamedCompositeItem':
    case 'itemsvc.UserConfig':
    case 'itemsvc.Script':
      return { subject: `item:${resource._id}`, owner: resource._id, namespaces, ...ending(gone), contributions: gone ? [] : itemCount(resource) };
  }
}

/** Workspaces and groups count in the namespace of their application (contract 4). */
function namespacesOf(resource: MeasuredEvent['resource']): readonly string[] {
  if (resource.type !== 'passportsvc.Workspace' && resource.type !== 'passportsvc.UserGroup') return resource._namespaces;
  return resource._applicationNamespace === undefined ? [] : [resource._applicationNamespace];
}

const endingPreview = (gone: boolean, { _id }: ResourceOf<'filesvc.FileVersion'>) => (gone ? { endsParts: [`preview:${_id}`] } : {});
const endingReadings = (gone: boolean, { _id, _itemClass }: ResourceOf<'itemsvc.Version'>) =>
  gone && _itemClass === 'NamedTelemetryCollection' ? { endsParts: [`readings:${_id}`] } : {};
const ending = (gone: boolean) => (gone ? { endsOwner: true as const } : {});

const inEach = (namespaces: readonly string[], rest: Omit<Contribution, 'namespace'>): Contribution[] => namespaces.map((namespace) => ({ namespace, ...rest }));
const graphics = (isGraphics: boolean) => (isGraphics ? '.graphics' : '') as '.graphics' | '';

const fileCount = (file: ResourceOf<'filesvc.File'>) =>
  inEach(file._namespaces, { metric: `dtplatform.filesvc.FileCount${graphics(file._graphics)}`, outer: '', inner: '', value: 1 });

const fileVersion = (version: ResourceOf<'filesvc.FileVersion'>) => [
  ...inEach(version._namespaces, { metric: `dtplatform.filesvc.FileVersionCount${graphics(version._graphics)}`, outer: version._fileId, inner: '', value: 1 }),
  ...inEach(version._namespaces, {
    metric: `dtplatform.filesvc.FileVersionSize${graphics(version._graphics)}`, outer: version._fileId, inner: String(version._version), value: version._fileSize,
  }),
];

/** Nothing of one whose event does not say how large it is. */
const previewSize = ({ _namespaces, _fileId, _version, _fileSize }: ResourceOf<'filesvc.Preview'>) =>
  _fileSize === undefined || _version === undefined ? [] : inEach(_namespaces, { metric: 'dtplatform.filesvc.PreviewImageFileSize', outer: _fileId, inner: String(_version), value: _fileSize });

const itemCount = (item: ItemResource) =>
  inEach(item._namespaces, { metric: `dtplatform.${item.type}Count`, outer: '', inner: '', value: 1 });

function itemVersion({ _namespaces, _itemClass, _userItemId, ...version }: VersionFacts): Contribution[] {
  if (!isItemClass(_itemClass)) return [];
  const outer = _userItemId;
  const inner = String(version._version);
  return [
    ...inEach(_namespaces, { metric: `dtplatform.itemsvc.${_itemClass}VersionCount`, outer, inner: '', value: 1 }),
    ...inEach(_namespaces, { metric: `dtplatform.itemsvc.${_itemClass}VersionSize`, outer, inner, value: version._size }),
    ...(_itemClass === 'NamedCompositeItem' ? inEach(_namespaces, { metric: `dtplatform.itemsvc.${_itemClass}Size`, outer, inner: '', value: version._size }) : []),
    ...(isCollection(_itemClass) ? inEach(_namespaces, { metric: `dtplatform.itemsvc.${_itemClass}RelatedItemsCount`, outer, inner, value: version._relatedItemsCount }) : []),
  ];
}

const isItemClass = (itemClass: string): itemClass is ItemClass => ITEM_CLASSES.some((one) => one === itemClass);
const isCollection = (itemClass: ItemClass): itemClass is CollectionClass => COLLECTION_CLASSES.some((one) => one === itemClass);

const timeSeries = (readings: ResourceOf<'itemsvc.Readings'>) =>
  inEach(readings._namespaces, {
    metric: 'dtplatform.itemsvc.NamedTelemetryCollectionTimeSeriesCollectionSize',
    outer: readings._userItemId, inner: String(readings._version), value: readings._timeSeriesSize,
  });

/** What the platform made itself does not count. */
function applicationCount(resource: ResourceOf<'passportsvc.Workspace' | 'passportsvc.UserGroup'>): Contribution[] {
  if (resource.type === 'passportsvc.UserGroup' && resource._default === true) return [];
  return inEach(namespacesOf(resource), { metric: `dtplatform.${resource.type}Count`, outer: '', inner: '', value: 1 });
}
