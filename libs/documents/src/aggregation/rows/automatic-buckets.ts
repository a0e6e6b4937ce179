import type { AnyObject } from 'mingo/types';
import { rowByRow, valuesOf } from '../mingo-operators';
import { orderOf } from '../order';
import { GroupFields } from './group-rows';
import { bytesOf, givenOn, type HeldRows, Holding } from './held-rows';
import type { Pace } from './pace';
import { SortedRows } from './sorted-rows';
import type { Step } from './steps';

interface Circumstances {
  readonly held: HeldRows;
  readonly pace: Pace;
}

/** Where one begins, where the next one does or the last one ends, and how many rows it has. */
interface Bucket {
  readonly min: unknown;
  readonly max: unknown;
  readonly count: number;
}

const COUNTED = { count: { $sum: 1 } };

/**
 * `$bucketAuto`: rows in the order of what they are grouped by, which mingo evaluates, cut into buckets. mingo's own works at all rows in one go, leaves
 * `null` out of lists, and makes a bucket of no rows.
 */
export function automaticBuckets(operand: AnyObject, { held, pace }: Circumstances): Step {
  const keyOf = valuesOf([operand['groupBy']]);
  const fields = new GroupFields((operand['output'] ?? COUNTED) as AnyObject);
  const evaluated = valuesOf(fields.expressions);
  return async function* buckets(rows) {
    const sorted = new SortedRows([1], { held, pace });
    for await (const some of rows) {
      let place = 0;
      for (const [key = null] of keyOf(some)) {
        if (pace.isDue) await pace.rest();
        const row = some[place++] as AnyObject;
        await sorted.add({ row, values: [key], bytes: bytesOf(row) + bytesOf(key) });
      }
    }
    const all = await sorted.all();
    const keys = all.map(({ values }) => values[0]);
    const inOrder = givenOn(all, held);
    for (const { min, max, count } of keys.length === 0 ? [] : bucketsOf(keys, operand)) {
      const holding = new Holding(held);
      const states = fields.states(holding);
      for (const values of evaluated(first(count, inOrder))) {
        if (pace.isDue) await pace.rest();
        for (const [place, state] of states.entries()) state.add(values[place]);
      }
      holding.giveAll();
      yield [{ ...fields.results(states), _id: { min, max } }];
    }
  };
}

/** Of a generator that others go on with. */
function* first<T>(count: number, rows: Generator<T, void>): Generator<T, void> {
  for (let left = count; left > 0; left -= 1) {
    const next = rows.next();
    if (next.done === true) return;
    yield next.value;
  }
}

function bucketsOf(keys: readonly unknown[], operand: AnyObject): Iterable<Bucket> {
  return operand['granularity'] === undefined ? evenBuckets(keys, operand['buckets'] as number) : preferredBuckets(keys, operand);
}

/** Of about one size; keys that are equal stay together, and the last bucket has what is left. */
function* evenBuckets(keys: readonly unknown[], most: number): Generator<Bucket, void> {
  const size = Math.max(1, Math.round(keys.length / most));
  for (let [from, made] = [0, 1]; from < keys.length; made += 1) {
    let to = made === most ? keys.length : Math.min(from + size, keys.length);
    while (to < keys.length && orderOf(keys[to - 1], keys[to]) === 0) to += 1;
    yield { min: keys[from], max: keys[Math.min(to, keys.length - 1)], count: to - from };
    from = to;
  }
}

/** With boundaries of a series of numbers, which mingo knows. */
function* preferredBuckets(keys: readonly unknown[], { buckets, granularity }: AnyObject): Generator<Bucket, void> {
  const run = rowByRow([{ $bucketAuto: { groupBy: '$key', buckets, granularity, output: { count: { $count: {} } } } }]);
  for (const { _id, count } of run(keys.map((key) => ({ key })))) yield { ...(_id as Pick<Bucket, 'min' | 'max'>), count: count as number };
}
