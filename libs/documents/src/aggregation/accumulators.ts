import { $addToSet, $push } from 'mingo/operators/accumulator';
import { evalExpr } from 'mingo/core';
import type { Any, AnyObject, Options } from 'mingo/types';
import { deviation } from './deviation';
import { orderOf } from './order';
import { percentile } from './percentile';

type Accumulator = (documents: Any[], operand: Any, options: Options) => unknown;
type Summary = (values: readonly unknown[]) => unknown;

/** The values of an expression, of one document each. What is missing is no value; mingo makes `null` of it. */
const push = (documents: Any[], operand: Any, options: Options): unknown[] =>
  ($push(documents, { of: operand } as Any, options) as { readonly of?: unknown }[]).map(({ of }) => of).filter((value) => value !== undefined);

/** Arrays as they are. mingo compares by their elements, as a sort does. */
const extreme = (direction: 1 | -1): Summary => (values) => {
  let found: unknown;
  for (const value of values) {
    if (value !== null && value !== undefined && (found === undefined || orderOf(value, found) * direction > 0)) found = value;
  }
  return found ?? null;
};

const numbersIn = (values: readonly unknown[]) => values.filter((value): value is number => typeof value === 'number');
const sum = (values: readonly unknown[]) => numbersIn(values).reduce((total, value) => total + value, 0);
const average = (values: readonly unknown[]) => (numbersIn(values).length === 0 ? null : sum(values) / numbersIn(values).length);

const SUMMARIES: Readonly<Record<string, Summary>> = {
  $sum: sum, $avg: average, $min: extreme(-1), $max: extreme(1),
  $stdDevPop: (values) => deviation(numbersIn(values), 0), $stdDevSamp: (values) => deviation(numbersIn(values), 1),
};

const each = <T>(of: (summary: Summary) => T): Readonly<Record<string, T>> => Object.fromEntries(Object.entries(SUMMARIES).map(([name, summary]) => [name, of(summary)]));
const inGroup = (summary: Summary): Accumulator => (documents, operand, options) => summary(push(documents, operand, options));

/** mingo's own `$percentile` sorts numbers as texts. */
export const ACCUMULATORS: Readonly<Record<string, Accumulator>> = {
  ...each(inGroup),
  $push: push,
  // Of no expression it takes the values themselves.
  $addToSet: (documents, operand, options) => $addToSet(push(documents, operand, options) as Any[], null, options),
  $percentile: percentile,
};

/**
 * The same of the expressions of one document: of a single one that is an array, of its elements. mingo refuses all but arrays.
 * It looks for these first in a group too, which is an array of documents.
 */
export const SUMMARIES_OF_LISTS = each((summary) => (document: AnyObject | Any[], operand: Any, options: Options): unknown => {
  if (Array.isArray(document)) return inGroup(summary)(document, operand, options);
  const values = [operand].flat(1).map((expression) => evalExpr(document, expression as Any, options));
  return summary(values.length === 1 && Array.isArray(values[0]) ? values[0] : values);
});
