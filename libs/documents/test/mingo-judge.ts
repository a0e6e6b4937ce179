import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr } from 'mingo/core';
import * as accumulators from 'mingo/operators/accumulator';
import * as stages from 'mingo/operators/pipeline';
import * as projections from 'mingo/operators/projection';
import type { Any, AnyObject, Options } from 'mingo/types';
import type { JsonObject } from '../src';
import { EXPRESSIONS } from '../src/aggregation/mingo-operators';
import { orderOf } from '../src/aggregation/order';

/** What mingo gives of all rows at once, where its accumulators are MongoDB's. */
export function judged(pipeline: readonly JsonObject[], rows: readonly JsonObject[]): JsonObject[] {
  return new Aggregator(pipeline.flatMap(written) as AnyObject[], OPTIONS as never).run(structuredClone(rows) as AnyObject[]) as JsonObject[];
}

/** MongoDB's manual says what `$count` is short for; mingo's own makes a row of nothing. */
const written = (stage: JsonObject): JsonObject[] => ('$count' in stage ? [{ $group: { _id: null, [stage['$count'] as string]: { $sum: 1 } } }, { $unset: '_id' }] : [stage]);

type Summary = (values: readonly unknown[], operand: unknown) => unknown;

const numbersIn = (values: readonly unknown[]) => values.filter((value): value is number => typeof value === 'number');
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const mean = (numbers: readonly number[]) => (numbers.length === 0 ? null : sum(numbers) / numbers.length);

/** Arrays as they are. mingo compares by their elements, as a sort does. */
const extreme = (direction: 1 | -1): Summary => (values) =>
  values.filter((value) => value !== null).reduce((best, value) => (best === undefined || orderOf(value, best) * direction > 0 ? value : best), undefined) ?? null;

const deviation = (spared: 0 | 1): Summary => (values) => {
  const numbers = numbersIn(values);
  if (numbers.length <= spared) return null;
  const middle = mean(numbers) as number;
  return Math.sqrt(sum(numbers.map((number) => (number - middle) ** 2)) / (numbers.length - spared));
};

const percentile: Summary = (values, operand) => {
  const ascending = numbersIn(values).toSorted((one, other) => one - other);
  return (operand as { readonly p: readonly number[] }).p.map((share) => ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? null);
};

const SUMMARIES: Readonly<Record<string, Summary>> = {
  $sum: (values) => sum(numbersIn(values)), $avg: (values) => mean(numbersIn(values)), $min: extreme(-1), $max: extreme(1),
  $stdDevPop: deviation(0), $stdDevSamp: deviation(1), $percentile: percentile, $push: (values) => values,
  $addToSet: (values) => accumulators.$addToSet(values as Any[], null, OPTIONS),
};

/** What is missing is no value; mingo makes `null` of it. */
function valuesOf(rows: Any[], operand: Any, options: Options): readonly unknown[] {
  const of = (operand as { readonly input?: unknown } | null)?.input ?? operand;
  return (accumulators.$push(rows, { of } as Any, options) as { readonly of?: unknown }[]).map((row) => row.of).filter((value) => value !== undefined);
}

/** mingo looks for expressions first in a group too, which is an array of rows. */
const GROUPS = Object.fromEntries(Object.entries(SUMMARIES).map(([name, summary]) => {
  const expression = (EXPRESSIONS as Readonly<Record<string, unknown>>)[name] as ((row: AnyObject, operand: Any, options: Options) => unknown) | undefined;
  return [name, (rows: AnyObject | Any[], operand: Any, options: Options) => (
    Array.isArray(rows) ? summary(valuesOf(rows, operand, options), operand) : (expression ?? evalExpr)(rows, operand, options)
  )];
}));

const OPTIONS: Options = {
  scriptEnabled: false,
  context: Context.init({ accumulator: { ...accumulators }, expression: { ...EXPRESSIONS, ...GROUPS }, pipeline: { ...stages }, projection: { ...projections } } as never),
} as never;
