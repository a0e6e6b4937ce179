import { evalExpr } from 'mingo/core';
import type { Any, AnyObject, Options } from 'mingo/types';
import { deviation } from './deviation';
import { orderOf } from './order';

type Summary = (values: readonly unknown[]) => unknown;

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

const ofExpressions = (summary: Summary) => (document: AnyObject, operand: Any, options: Options): unknown => {
  const values = [operand].flat(1).map((expression) => evalExpr(document, expression as Any, options));
  return summary(values.length === 1 && Array.isArray(values[0]) ? values[0] : values);
};

/** Of the expressions of one document, and of a single one that is an array of its elements. mingo refuses all but arrays. */
export const SUMMARIES_OF_LISTS = Object.fromEntries(Object.entries(SUMMARIES).map(([name, summary]) => [name, ofExpressions(summary)]));
