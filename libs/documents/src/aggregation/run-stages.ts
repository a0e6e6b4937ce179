import { ANSWER_BYTES } from '@twinyard/conventions';
import type { AnyObject } from 'mingo/types';
import type { JsonObject } from '../document';
import { isPlainObject } from '../filter/parser';
import { parseTimestamp, storedTimestamp } from '../timestamp';
import type { Stage } from './parse-pipeline';
import { AnswerRows } from './rows/answer-rows';
import { HeldRows } from './rows/held-rows';
import { Pace } from './rows/pace';
import { type Rows, stepsOf } from './rows/steps';
import { type SortShare, SortSpace } from './sorts/sort-space';

type IsDate = (path: string) => boolean;

export interface RunOptions {
  /** Whether the path holds dates, stored as ISO text. */
  readonly isDate: IsDate;
  /** What the JSON of the answer weighs at most. */
  readonly answerBytes?: number;
  readonly pace?: Pace;
  /** What its stages hold in memory at most. */
  readonly heldBytes?: number;
  /** Where it sorts what they cannot hold. */
  readonly sortShare?: SortShare;
}

/**
 * Runs checked stages over rows as they come, some at a time. Stages that need all rows hold what they need of them (`HeldRows`) or sort them on
 * disk, the others nothing; mingo evaluates the expressions. Dates of the source become dates before and all dates ISO text after. Errors: `limit_exceeded` for what
 * is too much to be held, sorted or answered, `query_too_slow`, `insufficient_storage`, `invalid` for what cannot be computed of these rows, and whatever the source fails with.
 */
export async function runStages(rows: AsyncIterable<readonly JsonObject[]>, pipeline: readonly Stage[], options: RunOptions): Promise<JsonObject[]> {
  const { isDate, answerBytes = ANSWER_BYTES, pace = new Pace(), heldBytes, sortShare = new SortSpace().share() } = options;
  const circumstances = { pace, held: new HeldRows(heldBytes), share: sortShare };
  const answer = new AnswerRows(answerBytes);
  const given: Rows = datedSlices(rows, isDate, pace);
  for await (const some of stepsOf(pipeline, isDate, circumstances).reduce((before, step) => step(before), given)) {
    for (const row of some) {
      if (pace.isDue) await pace.rest();
      answer.add(toJson(row) as JsonObject);
    }
  }
  return answer.rows;
}

/** Of a list in memory. */
export async function* rowsOf<T>(list: readonly T[]): AsyncGenerator<readonly T[]> {
  yield list;
}

async function* datedSlices(rows: AsyncIterable<readonly JsonObject[]>, isDate: IsDate, pace: Pace): AsyncGenerator<readonly AnyObject[], void> {
  for await (const some of rows) yield* pace.slices(dated(some, isDate));
}

function* dated(rows: readonly JsonObject[], isDate: IsDate): Generator<AnyObject, void> {
  for (const row of rows) yield withDates(row, isDate);
}

export function withDates(document: JsonObject, isDate: IsDate, prefix = ''): AnyObject {
  const dated: Record<string, unknown> = { ...document };
  for (const key of Object.keys(document)) {
    const value = document[key];
    if (isDate(prefix + key)) dated[key] = storedTimestamp(value) ?? parseTimestamp(value) ?? value;
    else if (key === '_id') dated[key] = inKey(prefix + key, value, isDate);
  }
  return dated as AnyObject;
}

/** The key of a group may have parts. */
const inKey = (path: string, value: unknown, isDate: IsDate): unknown =>
  path === '_id' && isPlainObject(value) ? withDates(value, isDate, '_id.') : value;

/** What is JSON already, which most is, stays as it is: to copy it took longer than to find it. */
export function toJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? listToJson(value) : objectToJson(value as Readonly<Record<string, unknown>>);
}

function listToJson(list: readonly unknown[]): readonly unknown[] {
  const json = list.map(toJson);
  return json.some((inner, index) => inner !== list[index]) ? json : list;
}

function objectToJson(object: Readonly<Record<string, unknown>>): unknown {
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    const json = toJson(object[key]);
    if (json === object[key] && json !== undefined) continue;
    changed ??= { ...object };
    if (json === undefined) delete changed[key];
    else changed[key] = json;
  }
  return changed ?? object;
}
