/** One metric: its optional dimensions from the outer (`file_id`, `collection`) to the inner (`version`). */
export interface Metric {
  readonly name: string;
  readonly dimensions: readonly string[];
  /** With the inner dimension the outer must be given; alone it returns no results (specification 3, file metrics). */
  readonly innerNeedsOuter: boolean;
}

/** The dimensions of each metric, by what follows `dtplatform.<service>.` in its name. */
type Table = Readonly<Record<string, readonly string[]>>;

const FILE_METRICS = {
  FileCount: [],
  FileVersionCount: ['file_id'],
  FileVersionSize: ['file_id', 'version'],
  PreviewImageFileSize: ['file_id', 'version'],
  'FileCount.graphics': [],
  'FileVersionCount.graphics': ['file_id'],
  'FileVersionSize.graphics': ['file_id', 'version'],
} as const satisfies Table;

/** Item classes that hold related items. */
export const COLLECTION_CLASSES = ['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection'] as const;
export type CollectionClass = (typeof COLLECTION_CLASSES)[number];

export const ITEM_CLASSES = [...COLLECTION_CLASSES, 'NamedCompositeItem', 'Script', 'UserConfig'] as const;
export type ItemClass = (typeof ITEM_CLASSES)[number];

/** Of each class of collections, after the name of the class. */
const COLLECTION_METRICS = {
  Count: [],
  VersionCount: ['collection'],
  VersionSize: ['collection', 'version'],
  RelatedItemsCount: ['collection', 'version'],
} as const satisfies Table;

const OTHER_ITEM_METRICS = {
  NamedTelemetryCollectionTimeSeriesCollectionSize: ['collection', 'version'],
  ScriptCount: [],
  ScriptVersionCount: ['item'],
  ScriptVersionSize: ['item', 'version'],
  UserConfigCount: [],
  UserConfigVersionCount: ['item'],
  UserConfigVersionSize: ['item', 'version'],
  NamedCompositeItemCount: [],
  NamedCompositeItemVersionCount: ['item'],
  NamedCompositeItemSize: ['item'],
  NamedCompositeItemVersionSize: ['item', 'version'],
} as const satisfies Table;

const PASSPORT_METRICS = { WorkspaceCount: [], UserGroupCount: [] } as const satisfies Table;

/** What is counted is counted under one of these: a name that is not in the tables does not compile. */
export type MetricName =
  | `dtplatform.filesvc.${keyof typeof FILE_METRICS}`
  | `dtplatform.itemsvc.${CollectionClass}${keyof typeof COLLECTION_METRICS}`
  | `dtplatform.itemsvc.${keyof typeof OTHER_ITEM_METRICS}`
  | `dtplatform.passportsvc.${keyof typeof PASSPORT_METRICS}`;

const metricsOf = (prefix: string, table: Table, innerNeedsOuter = false): Metric[] =>
  Object.entries(table).map(([name, dimensions]) => ({ name: `dtplatform.${prefix}${name}`, dimensions, innerNeedsOuter }));

const ALL = [
  ...metricsOf('filesvc.', FILE_METRICS, true),
  ...COLLECTION_CLASSES.flatMap((itemClass) => metricsOf(`itemsvc.${itemClass}`, COLLECTION_METRICS)),
  ...metricsOf('itemsvc.', OTHER_ITEM_METRICS),
  ...metricsOf('passportsvc.', PASSPORT_METRICS),
];

/** Every metric there is (specification 3 and contract 4), by name. */
export const METRICS: ReadonlyMap<string, Metric> = new Map(ALL.map((metric) => [metric.name, metric] as const));
