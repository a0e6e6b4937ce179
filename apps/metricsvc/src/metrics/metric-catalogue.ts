/** One metric: its optional dimensions from the outer (`file_id`, `collection`) to the inner (`version`). */
export interface Metric {
  readonly name: string;
  readonly dimensions: readonly string[];
  /** With the inner dimension the outer must be given; alone it returns no results (specification 3, file metrics). */
  readonly innerNeedsOuter: boolean;
}

const FILE_METRICS: Readonly<Record<string, readonly string[]>> = {
  FileCount: [],
  FileVersionCount: ['file_id'],
  FileVersionSize: ['file_id', 'version'],
  PreviewImageFileSize: ['file_id', 'version'],
  'FileCount.graphics': [],
  'FileVersionCount.graphics': ['file_id'],
  'FileVersionSize.graphics': ['file_id', 'version'],
};

const COLLECTION_CLASSES = ['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection'] as const;

const collectionMetrics = (itemClass: string): Record<string, readonly string[]> => ({
  [`${itemClass}Count`]: [],
  [`${itemClass}VersionCount`]: ['collection'],
  [`${itemClass}VersionSize`]: ['collection', 'version'],
  [`${itemClass}RelatedItemsCount`]: ['collection', 'version'],
});

const ITEM_METRICS: Readonly<Record<string, readonly string[]>> = {
  ...Object.assign({}, ...COLLECTION_CLASSES.map(collectionMetrics)) as Record<string, readonly string[]>,
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
};

const PASSPORT_METRICS: Readonly<Record<string, readonly string[]>> = { WorkspaceCount: [], UserGroupCount: [] };

const metricsOf = (service: string, table: Readonly<Record<string, readonly string[]>>, innerNeedsOuter: boolean) =>
  Object.entries(table).map(([name, dimensions]) => ({ name: `dtplatform.${service}.${name}`, dimensions, innerNeedsOuter }));

/** Every metric there is (specification 3 and contract 4), by name. */
export const METRICS: ReadonlyMap<string, Metric> = new Map(
  [...metricsOf('filesvc', FILE_METRICS, true), ...metricsOf('itemsvc', ITEM_METRICS, false), ...metricsOf('passportsvc', PASSPORT_METRICS, false)].map(
    (metric) => [metric.name, metric] as const,
  ),
);
