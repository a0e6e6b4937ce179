import { isIndex } from '../../filter/path';
import type { SortKey } from '../../sort';
import { orderOf } from '../order';

/** What MongoDB's `$sort` sorts a row by: an array stands for its least element, and descending for its greatest; what is missing is `null`. */
export const sortValuesOf = (row: object, keys: readonly SortKey[]): readonly unknown[] => keys.map(({ path, direction }) => chosen(valuesAt(row, path), direction));

/** The value below all others that an empty array is. */
const EMPTY = undefined;

/** Among which a sort chooses. */
function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const [step, ...rest] = path;
  if (Array.isArray(value)) return step === undefined ? elementsOf(value) : valuesInArray(value, step, rest);
  if (step === undefined) return [value ?? null];
  if (typeof value !== 'object' || value === null) return [null];
  return valuesAt(Object.hasOwn(value, step) ? (value as Readonly<Record<string, unknown>>)[step] : null, rest);
}

function valuesInArray(array: readonly unknown[], step: string, rest: readonly string[]): readonly unknown[] {
  if (isIndex(step) && Number(step) < array.length) return valuesAt(array[Number(step)], rest);
  return array.length === 0 ? [null] : array.flatMap((element) => (Array.isArray(element) ? [null] : valuesAt(element, [step, ...rest])));
}

const elementsOf = (array: readonly unknown[]): readonly unknown[] => (array.length === 0 ? [EMPTY] : array);

function chosen(values: readonly unknown[], direction: 1 | -1): unknown {
  return values.reduce((best, value) => (direction * orderOf(value, best) < 0 ? value : best));
}
