import type { Path } from '../filter/ast';
import { isPlainObject } from '../filter/parser';
import { planKey, planPath } from './group-key';
import type { GroupKey } from './group-key';
import type { Stage } from './parse-pipeline';

/** A `$group` that a store can do itself: by nothing, by fields, by spans and parts of time; with simple accumulators. */
export interface GroupPlan {
  readonly key: GroupKey;
  readonly fields: readonly GroupField[];
}

export type GroupField =
  | { readonly name: string; readonly accumulator: SimpleAccumulator; readonly of: Path | number }
  /** Of the instants: the earliest and the latest. */
  | { readonly name: string; readonly accumulator: '$first' | '$last'; readonly of: Path }
  | { readonly name: string; readonly accumulator: '$percentile'; readonly of: Path; readonly shares: readonly number[] };

const SIMPLE = ['$sum', '$avg', '$min', '$max', '$stdDevPop', '$stdDevSamp'] as const;
type SimpleAccumulator = (typeof SIMPLE)[number];

/** What of a pipeline is one group, and what comes after it. */
export interface PlannedGroup {
  readonly plan: GroupPlan;
  readonly rest: readonly Stage[];
}

type IsDate = (path: string) => boolean;

/** `undefined`: the stages are left to the pipeline in memory. A `$sort` before the group tells what comes first and last, and nothing else. */
export function planGroup(stages: readonly Stage[], isDate: IsDate): PlannedGroup | undefined {
  const sort = stages[0]?.name === '$sort' ? stages[0] : undefined;
  const [stage, ...rest] = sort ? stages.slice(1) : stages;
  if (stage?.name !== '$group' || !isPlainObject(stage.operand)) return undefined;
  const { _id, ...outputs } = stage.operand;
  const key = planKey(_id, isDate);
  const order = orderOf(sort, isDate);
  const fields = Object.entries(outputs).map(([name, output]) => planField(name, output, order));
  if (key === undefined || !fields.every((field) => field !== undefined)) return undefined;
  return { plan: { key, fields }, rest };
}

type Order = 'oldest first' | 'newest first' | 'other';

/** By instant alone; without a `$sort` it is the order of lists, where there are instants. */
function orderOf(sort: Stage | undefined, isDate: IsDate): Order {
  if (!isDate('_ts')) return 'other';
  if (sort === undefined) return 'oldest first';
  const [[path, direction] = [], ...more] = Object.entries(sort.operand as object) as [string, unknown][];
  if (path !== '_ts' || more.length > 0) return 'other';
  return direction === 1 ? 'oldest first' : 'newest first';
}

function planField(name: string, output: unknown, order: Order): GroupField | undefined {
  const [accumulator, operand] = isPlainObject(output) ? (Object.entries(output)[0] ?? []) : [];
  switch (accumulator) {
    case '$count':
      return { name, accumulator: '$sum', of: 1 };
    case '$percentile':
      return planPercentile(name, operand);
    case '$first':
    case '$last':
      return planEnd(name, accumulator, planPath(operand), order);
    default:
      return planSimple(name, SIMPLE.find((one) => one === accumulator), operand);
  }
}

function planSimple(name: string, accumulator: SimpleAccumulator | undefined, operand: unknown): GroupField | undefined {
  if (accumulator === '$sum' && typeof operand === 'number') return { name, accumulator, of: operand };
  const path = planPath(operand);
  return path && accumulator && { name, accumulator, of: path };
}

/** The newest comes first: then the first is the last. */
function planEnd(name: string, accumulator: '$first' | '$last', of: Path | undefined, order: Order): GroupField | undefined {
  if (of === undefined || order === 'other') return undefined;
  const turned = accumulator === '$first' ? '$last' : '$first';
  return { name, accumulator: order === 'oldest first' ? accumulator : turned, of };
}

function planPercentile(name: string, operand: unknown): GroupField | undefined {
  const { input, p } = operand as { readonly input: unknown; readonly p: readonly number[] };
  const of = planPath(input);
  return of && { name, accumulator: '$percentile', of, shares: p };
}
