import type { AnyObject } from 'mingo/types';
import { valuesOf } from '../mingo-operators';
import { type SortCircumstances, SortedRows } from '../sorts/sorted-rows';
import { type Bounds, bucketCuts, requireCountable } from './bucket-cuts';
import { GroupFields } from './group-rows';
import type { GroupState } from './group-states';
import { bytesOf, type HeldRows, Holding } from './held-rows';
import type { Rows, Step } from './steps';

/** What the output asks of a row. */
type Asked = readonly unknown[];

const COUNTED = { count: { $sum: 1 } };

/**
 * `$bucketAuto`: of each row what it is grouped by and what the output asks, as mingo evaluates it, in the order of the former, cut into buckets. mingo's own works at all
 * rows in one go, leaves `null` out of lists, and makes a bucket of no rows.
 */
export function automaticBuckets(operand: AnyObject, circumstances: SortCircumstances): Step {
  const { held, pace } = circumstances;
  const fields = new GroupFields((operand['output'] ?? COUNTED) as AnyObject);
  const evaluated = valuesOf([operand['groupBy'], ...fields.expressions]);
  const addAll = async (sorted: SortedRows<Asked>, rows: Rows) => {
    for await (const some of rows) {
      for (const [key = null, ...row] of evaluated(some)) {
        if (pace.isDue) await pace.rest();
        if (operand['granularity'] !== undefined) requireCountable(key);
        await sorted.add({ row, values: [key], bytes: bytesOf(row) + bytesOf(key) });
      }
    }
  };
  return async function* buckets(rows) {
    const sorted = new SortedRows<Asked>([1], circumstances);
    try {
      await addAll(sorted, rows);
      for await (const bucket of cut(sorted, operand, () => new Bucket(fields, held))) {
        if (pace.isDue) await pace.rest();
        yield [bucket];
      }
    } finally {
      await sorted.close();
    }
  };
}

async function* cut(sorted: SortedRows<Asked>, operand: AnyObject, newBucket: () => Bucket): AsyncGenerator<AnyObject, void> {
  const cuts = bucketCuts(operand, sorted.size);
  let bucket: Bucket | undefined;
  for await (const some of sorted.inOrder()) {
    for (const { row, values: [key] } of some) {
      bucket ??= newBucket();
      while (!cuts.take(key)) {
        yield bucket.end(cuts.end({ key }));
        bucket = newBucket();
      }
      bucket.add(row);
    }
  }
  if (bucket) yield bucket.end(cuts.end());
}

class Bucket {
  private readonly holding: Holding;
  private readonly states: readonly GroupState[];

  constructor(private readonly fields: GroupFields, held: HeldRows) {
    this.holding = new Holding(held);
    this.states = fields.states(this.holding);
  }

  /** Errors: `limit_exceeded`. */
  add(row: Asked): void {
    for (const [place, state] of this.states.entries()) state.add(row[place]);
  }

  /** Holds nothing any more. */
  end(bounds: Bounds): AnyObject {
    this.holding.giveAll();
    return { ...this.fields.results(this.states), _id: bounds };
  }
}
