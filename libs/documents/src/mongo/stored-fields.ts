import type { Path } from '../filter/ast';
import type { ParsedProjection } from '../projection';
import type { SortKey } from '../sort';
import type { Fields, MongoFilter } from './filter-compiler';
import { encodeName, encodePath } from './field-names';

/**
 * How a document lies in its collection. `_id` is made of the partition and the document's own id, so both are unique at the price
 * of one index; the caller's names are all under `doc`, where they meet none of ours. `seq` is the place in the order of creation.
 */
export interface DocumentRow {
  readonly _id: { readonly part: string; readonly id: string };
  readonly seq: number;
  readonly bytes: number;
  readonly doc: Readonly<Record<string, unknown>>;
}

/** The collection of all readings. */
export const READINGS = 'document_readings';

/** A reading. `_ts` is a date, and only in `_id`. */
export interface ReadingRow {
  readonly _id: { readonly collection: string; readonly part: string; readonly item: string; readonly ts: Date };
  readonly bytes: number;
  readonly doc: Readonly<Record<string, unknown>>;
}

/** The name of the stored field that a path means. */
export type FieldName = (path: Path) => string;

export const documentField: FieldName = (path) => (path[0] === '_id' ? encodePath(['_id', 'id', ...path.slice(1)]) : `doc.${encodePath(path)}`);

/** Equality of ids is asked of the whole `_id`, since only that is what its index holds. */
export const documentFields =
  (part: string): Fields =>
  (path, test) => {
    const isWhole = path.length === 1 && path[0] === '_id' && (test.kind === 'equal' || test.kind === 'in');
    return isWhole ? { name: '_id', wrap: (id) => ({ part, id }) } : { name: documentField(path) };
  };

/** Ids alone say their partition themselves: nothing but the index of `_id` is asked then. */
export function inPartition(part: string, filter: MongoFilter): MongoFilter {
  const { _id: ids, ...others } = filter as { readonly _id?: object };
  const isById = ids !== undefined && '$in' in ids && Object.keys(others).length === 0;
  return isById ? filter : { '_id.part': part, ...filter };
}

export const readingField: FieldName = (path) => {
  if (path[0] === '_ts') return encodePath(['_id', 'ts', ...path.slice(1)]);
  return path.length === 2 && path[0] === '_tsMetadata' && path[1] === '_telItemId' ? '_id.item' : `doc.${encodePath(path)}`;
};

export const readingFields: Fields = (path) => ({ name: readingField(path), isDate: path.length === 1 && path[0] === '_ts' });

/** The keys that were asked for and then those that make the order total. */
export function sortOf(keys: readonly SortKey[], fieldOf: FieldName, last: readonly string[]): Record<string, 1 | -1> {
  const wanted = keys.map(({ path, direction }): [string, 1 | -1] => [fieldOf(path), direction]);
  const named = new Set(wanted.map(([name]) => name));
  return Object.fromEntries([...wanted, ...last.filter((name) => !named.has(name)).map((name): [string, 1] => [name, 1])]);
}

/** The outermost names that an inclusion keeps: the rest of the document need not travel. What is kept of them is cut out here. */
export function coarseProjection(projection: ParsedProjection | undefined): Record<string, 1> {
  if (!projection?.keeps) return { doc: 1, bytes: 1 };
  const names = [...projection.names].map(([name]) => `doc.${encodeName(name)}`);
  return Object.fromEntries([['_id', 1], ...names.map((name): [string, 1] => [name, 1])]) as Record<string, 1>;
}
