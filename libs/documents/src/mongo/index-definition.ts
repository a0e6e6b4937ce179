import { createHash } from 'node:crypto';
import type { IndexSpec } from '../document-store';
import { parsePath } from '../filter/path';
import { isText } from '../indexes/index-spec';
import { textLanguage } from '../indexes/text-languages';
import { documentField } from './stored-fields';

/** An index as MongoDB is asked for it. */
export interface IndexDefinition {
  readonly key: Readonly<Record<string, 1 | -1 | 'text'>>;
  readonly name: string;
  readonly unique?: boolean;
  readonly default_language?: string;
  readonly language_override?: string;
}

/** MongoDB's bound on the fields of an index. */
const MAX_FIELDS = 32;

/** MongoDB takes the language of a text from a field beside it. This name is one that no caller's field can have. */
const NO_FIELD = '%language';

/** The order of creation, which is the default order of lists. */
export const ORDER_INDEX: IndexDefinition = { key: { '_id.part': 1, seq: 1, '_id.id': 1 }, name: 'order' };

/** Every equality by one index (MongoDB 7 takes the partition with it). */
export const ALL_FIELDS_INDEX = { key: { '_id.part': 1, 'doc.$**': 1 }, name: 'all_fields' } as const;

/** The partition first, since every query names one and `unique` holds within it. Callers' names are any text: MongoDB gets our own. */
export function indexDefinition(index: IndexSpec): IndexDefinition {
  const entries = Object.entries(index.key).map(([path, direction]): [string, 1 | -1 | 'text'] => [documentField(parsePath(path, 'key')), direction]);
  const key = Object.fromEntries([['_id.part', 1] as const, ...entries]);
  const name = indexName(index.options.name);
  if (isText(index)) return { key, name, default_language: textLanguage(index), language_override: NO_FIELD };
  if (index.options.unique) return { key, name, unique: true };
  // Every order ends with the id, so that a sort by this index needs no sorting.
  return entries.length + 2 > MAX_FIELDS || key['_id.id'] ? { key, name } : { key: { ...key, '_id.id': 1 }, name };
}

export const indexName = (name: string) => `user_${createHash('sha256').update(name).digest('hex').slice(0, 24)}`;
