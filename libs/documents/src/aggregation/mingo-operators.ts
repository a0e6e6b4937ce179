import { ServiceError } from '@twinyard/conventions';
import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr } from 'mingo/core';
import type { Iterator } from 'mingo/lazy';
import type { Any, AnyObject, Options } from 'mingo/types';
import { $count } from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import * as stages from 'mingo/operators/pipeline';
import * as projections from 'mingo/operators/projection';
import { COMPARISONS } from './comparisons';
import { DATE_OPERATORS } from './dates/date-operators';
import { concatArrays, counted } from './growth';
import { SUMMARIES_OF_LISTS } from './list-summaries';
import { NULL_OPERANDS } from './null-operands';
import { ROUNDING } from './rounding';

/** mingo's, and our own where MongoDB answers otherwise. */
export const EXPRESSIONS = { ...expressions, ...DATE_OPERATORS, ...COMPARISONS, ...ROUNDING, ...NULL_OPERANDS, ...SUMMARIES_OF_LISTS, $concatArrays: concatArrays };

/** Our own, which callers cannot name: the values of expressions in place of a row. */
const evaluated = (rows: Iterator, of: Any, options: Options): Iterator => rows.map((row) => evalExpr(row as AnyObject, of, options));

const CONTEXT = Context.init({
  accumulator: { $count }, expression: EXPRESSIONS, pipeline: { ...stages, $counted: counted, $evaluated: evaluated }, projection: { ...projections },
} as never);

/** `scriptEnabled` is off although the checker lets none of the operators through that would need it. */
const OPTIONS: Options = { scriptEnabled: false, context: CONTEXT } as never;
const aggregator = (steps: readonly AnyObject[]) => new Aggregator(steps as AnyObject[], OPTIONS as never);

/** Stages of mingo over rows, which are taken and given one by one as they are asked for. Errors: `invalid` for what mingo cannot compute. */
export function rowByRow(steps: readonly AnyObject[]): (rows: Iterable<AnyObject>) => Generator<AnyObject, void> {
  const run = aggregator(steps);
  return function* each(rows) {
    try {
      for (const row of run.stream(rows as AnyObject[])) yield row as AnyObject;
    } catch (error) {
      throw error instanceof ServiceError ? error : new ServiceError('invalid', 'The pipeline cannot be run on these documents', { cause: error });
    }
  };
}

/** The values of expressions for each row, likewise. */
export const valuesOf = (of: readonly unknown[]) => rowByRow([{ $evaluated: of }]) as unknown as (rows: Iterable<AnyObject>) => Generator<readonly unknown[], void>;
