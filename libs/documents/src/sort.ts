import { atField, invalid, limitExceeded } from '@twinyard/conventions';
import type { Path } from './filter/ast';
import { parsePath } from './filter/path';

export interface SortKey {
  readonly path: Path;
  readonly direction: 1 | -1;
}

/** MongoDB's bound. */
export const MAX_KEYS = 32;

export const parseSort = (sort: Readonly<Record<string, unknown>>): readonly SortKey[] => atField('sort', () => readSort(sort));

/** The same for one that is called something else where it stands. */
export function readSort(sort: Readonly<Record<string, unknown>>): readonly SortKey[] {
  const entries = Object.entries(sort);
  if (entries.length > MAX_KEYS) throw limitExceeded(`sort takes at most ${MAX_KEYS} keys`);
  return entries.map(([key, value]) => {
    if (value !== 1 && value !== -1) throw invalid(`sort: ${key} takes 1 or -1`);
    return { path: parsePath(key, 'sort'), direction: value };
  });
}

/** Of readings: by instant alone, the latest before the others. */
export const isNewestFirst = (keys: readonly SortKey[]): boolean => keys.length === 1 && keys[0]?.path.join('.') === '_ts' && keys[0].direction === -1;
