import { type Iterator, Lazy } from 'mingo/lazy';
import type { AnyObject } from 'mingo/types';
import { parseFilter } from '../filter/parser';
import { isIndex } from '../filter/path';
import { parseSort } from '../sort';
import { meets } from './match-in-memory';
import { orderOf } from './order';

/** Stages that mingo runs otherwise than MongoDB. */
export const STAGES = {
  $match: (rows: Iterator, operand: AnyObject): Iterator => {
    const { condition } = parseFilter(operand);
    return rows.filter((row) => meets(row as AnyObject, condition));
  },

  /** Of nothing there is no row. */
  $count: (rows: Iterator, name: string): Iterator =>
    rows.transform((all) => Lazy(all.length === 0 ? [] : [{ [name]: all.length }])),

  /** An array sorts by its least element, and descending by its greatest; what is missing is `null`. Ties keep their order. */
  $sort: (rows: Iterator, operand: AnyObject): Iterator => {
    const keys = parseSort(operand);
    return rows.transform((all) => {
      const keyed = (all as AnyObject[]).map((row) => ({ row, values: keys.map(({ path, direction }) => chosen(sortValues(row, path), direction)) }));
      keyed.sort((one, other) => keys.reduce((order, { direction }, place) => order || direction * orderOf(one.values[place], other.values[place]), 0));
      return Lazy(keyed.map(({ row }) => row));
    });
  },
};

/** The value below all others that an empty array is. */
const EMPTY = undefined;

/** Among which a sort chooses. */
function sortValues(value: unknown, path: readonly string[]): readonly unknown[] {
  const [step, ...rest] = path;
  if (Array.isArray(value)) return step === undefined ? elementsOf(value) : valuesInArray(value, step, rest);
  if (step === undefined) return [value ?? null];
  if (typeof value !== 'object' || value === null) return [null];
  return sortValues(Object.hasOwn(value, step) ? (value as AnyObject)[step] : null, rest);
}

function valuesInArray(array: readonly unknown[], step: string, rest: readonly string[]): readonly unknown[] {
  if (isIndex(step) && Number(step) < array.length) return sortValues(array[Number(step)], rest);
  return array.length === 0 ? [null] : array.flatMap((element) => (Array.isArray(element) ? [null] : sortValues(element, [step, ...rest])));
}

const elementsOf = (array: readonly unknown[]): readonly unknown[] => (array.length === 0 ? [EMPTY] : array);

function chosen(values: readonly unknown[], direction: 1 | -1): unknown {
  return values.reduce((best, value) => (direction * orderOf(value, best) < 0 ? value : best));
}
