import type { ItemClass } from '../nameditems/named-item';

const ALWAYS = ['_id', '_guid'];
const BY_CLASS: Readonly<Partial<Record<ItemClass, readonly string[]>>> = {
  NamedFileCollection: ['_fileId', '_fileVersionId', '_fileRepositoryId'],
  NamedTelemetryCollection: ['_sourceId'],
};

/** Properties of related items that are always texts: digits in their CSV cells are no number. */
export const textColumnsOf = (itemClass: ItemClass): ReadonlySet<string> => new Set([...ALWAYS, ...(BY_CLASS[itemClass] ?? [])]);

export const READING_TEXT_COLUMNS: ReadonlySet<string> = new Set(['_ts', '_tsMetadata._telItemId', '_tsMetadata._sourceId']);
