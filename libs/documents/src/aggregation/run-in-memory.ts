import { ServiceError } from '@twinyard/conventions';
import { Aggregator } from 'mingo/aggregator';
import { Context } from 'mingo/core';
import type { AnyObject } from 'mingo/types';
import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import * as stages from 'mingo/operators/pipeline';
import * as projections from 'mingo/operators/projection';
import type { JsonObject } from '../document';
import { isPlainObject } from '../filter/parser';
import { parseTimestamp } from '../timestamp';
import { ACCUMULATORS, SUMMARIES_OF_LISTS } from './accumulators';
import { bucketStages } from './buckets';
import { datePathsBehind } from './date-paths';
import { COMPARISONS } from './comparisons';
import { DATE_OPERATORS } from './dates/date-operators';
import { concatArrays, counted, Growth, mayGrow } from './growth';
import { NULL_OPERANDS } from './null-operands';
import type { Stage } from './parse-pipeline';
import { ROUNDING } from './rounding';
import { STAGES } from './stages';

type IsDate = (path: string) => boolean;

/** mingo's operators, and our own where MongoDB answers otherwise. mingo has `$percentile` as an expression too, which would be found first. */
const CONTEXT = Context.init({
  accumulator: { ...accumulators, ...ACCUMULATORS },
  expression: { ...expressions, ...DATE_OPERATORS, ...COMPARISONS, ...ROUNDING, ...NULL_OPERANDS, ...SUMMARIES_OF_LISTS, $concatArrays: concatArrays, $percentile: undefined },
  pipeline: { ...stages, ...STAGES, $counted: counted }, projection: { ...projections },
} as never);

/**
 * Runs checked stages through mingo. Dates of the source become dates before and all dates ISO text after. `scriptEnabled` is
 * off although the checker lets none of the operators through that would need it.
 */
export function runInMemory(documents: readonly JsonObject[], pipeline: readonly Stage[], isDate: IsDate): JsonObject[] {
  if (pipeline.length === 0) return [...documents];
  const input = documents.map((document) => withDates(document, isDate));
  const steps = toAllSteps(pipeline, isDate);
  try {
    return new Aggregator(steps, { scriptEnabled: false, context: CONTEXT }).run(input).map((row) => toJson(row) as JsonObject);
  } catch (error) {
    throw error instanceof ServiceError ? error : new ServiceError('invalid', 'The pipeline cannot be run on these documents', { cause: error });
  }
}

function toAllSteps(pipeline: readonly Stage[], isDate: IsDate): AnyObject[] {
  const steps: AnyObject[] = [];
  const growth = new Growth();
  let isDateThere = isDate;
  for (const stage of pipeline) {
    steps.push(...toSteps(stage, isDateThere));
    if (mayGrow(stage.name)) steps.push({ $counted: { growth, isUnwound: stage.name === '$unwind' } });
    isDateThere = datePathsBehind(stage, isDateThere);
  }
  return steps;
}

function toSteps({ name, operand }: Stage, isDate: IsDate): AnyObject[] {
  if (name === '$bucket') return bucketStages(operand as AnyObject, isDate) as AnyObject[];
  return [{ [name]: operand }];
}

function withDates(document: JsonObject, isDate: IsDate, prefix = ''): AnyObject {
  const entries = Object.entries(document).map(([key, value]) => [key, isDate(prefix + key) ? (parseTimestamp(value) ?? value) : inKey(prefix + key, value, isDate)]);
  return Object.fromEntries(entries) as AnyObject;
}

/** The key of a group may have parts. */
const inKey = (path: string, value: unknown, isDate: IsDate): unknown =>
  path === '_id' && isPlainObject(value) ? withDates(value, isDate, '_id.') : value;

function toJson(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined).map(([key, inner]) => [key, toJson(inner)]));
}
