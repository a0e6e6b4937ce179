import type { ItemClass } from '../nameditems/named-item';

/** Headers of properties that are always texts, in CSV files written here or by others: digits in their cells are no number. */
export type TextColumns = ReadonlySet<string>;

const ALWAYS = ['_id', '_guid'];
const BY_CLASS: Readonly<Partial<Record<ItemClass, readonly string[]>>> = {
  NamedFileCollection: ['_fileId', '_fileVersionId', '_fileRepositoryId'],
  NamedTelemetryCollection: ['_sourceId'],
};

export const textsOfItems = (itemClass: ItemClass): TextColumns => new Set([...ALWAYS, ...(BY_CLASS[itemClass] ?? [])]);

export const TEXTS_OF_READINGS: TextColumns = new Set(['_ts', '_tsMetadata._telItemId', '_tsMetadata._sourceId']);
