import type { ItemClass } from '../nameditems/named-item';

/** What is known of the CSV files of a kind of rows, written here or by others. */
export interface CsvShape {
  /** Headers of properties that are always texts: digits in their cells are no number. */
  readonly texts: ReadonlySet<string>;
  /** Cells that hold no value, beside the empty ones, unless a file says otherwise. */
  readonly missing: readonly string[];
}

const ALWAYS = ['_id', '_guid'];
const BY_CLASS: Readonly<Partial<Record<ItemClass, readonly string[]>>> = {
  NamedFileCollection: ['_fileId', '_fileVersionId', '_fileRepositoryId'],
  NamedTelemetryCollection: ['_sourceId'],
};

/** Of related items: each text is one. */
export const shapeOfItems = (itemClass: ItemClass): CsvShape => ({ texts: new Set([...ALWAYS, ...(BY_CLASS[itemClass] ?? [])]), missing: [] });

/** Of readings: what programs write where a sensor said nothing (contract 5). `null` is a value, which an export writes. */
export const SHAPE_OF_READINGS: CsvShape = {
  texts: new Set(['_ts', '_tsMetadata._telItemId', '_tsMetadata._sourceId']),
  missing: ['NaN', 'nan', 'NA', 'N/A', '#N/A', 'NULL', '-'],
};
