import type { Condition, Test } from '../filter/ast';
import type { ReadingRow } from './stored-fields';

type Series = Pick<ReadingRow['_id'], 'collection' | 'part'>;

/** Of more items than these the readings are looked up by time. */
const MAX_ITEMS = 50;
/** Years 1 to 9999: all that `_ts` may be. */
const FIRST = new Date('0001-01-01T00:00:00.000Z');
const LAST = new Date('9999-12-31T23:59:59.999Z');

/**
 * What a filter says of single items, as ranges of the whole `_id`: its index holds the fields in this order, and the series of an
 * item is one stretch of it. A superset of what matches, never less. The filter's dates are ISO texts (`withDates`).
 */
export function readingBounds(series: Series, condition: Condition): Readonly<Record<string, unknown>> {
  const items = itemsOf(condition);
  if (!items || items.length > MAX_ITEMS) return {};
  const from = timesOf(condition, ['$gt', '$gte']).sort().at(-1);
  const to = timesOf(condition, ['$lt', '$lte']).sort()[0];
  const ranges = items.map((item) => ({
    _id: { $gte: { ...series, item, ts: from === undefined ? FIRST : new Date(from) }, $lte: { ...series, item, ts: to === undefined ? LAST : new Date(to) } },
  }));
  return ranges.length === 1 ? (ranges[0] as { _id: unknown }) : { $or: ranges };
}

function itemsOf(condition: Condition): readonly string[] | undefined {
  if (condition.kind === 'and') return condition.of.map(itemsOf).find((items) => items !== undefined);
  if (condition.kind !== 'field' || condition.path.join('.') !== '_tsMetadata._telItemId') return undefined;
  const { test } = condition;
  if (test.kind === 'equal' && typeof test.value === 'string') return [test.value];
  if (test.kind !== 'in' || test.scalars.length === 0 || test.arrays.length > 0) return undefined;
  return test.scalars.every((value) => typeof value === 'string') ? test.scalars : undefined;
}

/** The instants that `_ts` is compared with by one of the operators; equality is both. */
function timesOf(condition: Condition, operators: readonly string[]): string[] {
  if (condition.kind === 'and') return condition.of.flatMap((inner) => timesOf(inner, operators));
  return condition.kind === 'field' && condition.path.join('.') === '_ts' ? timesOfTest(condition.test, operators) : [];
}

function timesOfTest(test: Test, operators: readonly string[]): string[] {
  if (test.kind === 'allOf') return test.of.flatMap((inner) => timesOfTest(inner, operators));
  if (test.kind !== 'equal' && !(test.kind === 'compare' && operators.includes(test.operator))) return [];
  return typeof test.value === 'string' ? [test.value] : [];
}
