import { invalid } from '@twinyard/conventions';
import { isPlainObject } from '../filter/parser';
import { parseTimestamp } from '../timestamp';
import { givesDates } from './date-paths';
import { orderOf } from './order';

type Operand = Readonly<Record<string, unknown>>;
type Bound = number | string | Date;

/** Without a default, what lies in no bucket is an error in MongoDB; mingo's `$switch` would say null. */
const NOWHERE = { $divide: [1, 0] };

/**
 * `$bucket` as the stages that it is in MongoDB: `$switch`, `$group`, `$sort`. mingo's own puts what lies on a boundary into the bucket
 * below it, and shows buckets that hold nothing. Boundaries of dates, which JSON has none of, are ISO text or `{ $toDate: … }` (contract 2.7).
 */
export function bucketStages(operand: Operand, isDate: (path: string) => boolean): Operand[] {
  const { groupBy, default: others, output = { count: { $sum: 1 } } } = operand;
  const bounds = toBounds(operand['boundaries'] as readonly unknown[], givesDates(groupBy, isDate));
  refuseInside(others, bounds);
  const branches = bounds.slice(1).map((upper, index) => {
    const lower = bounds[index];
    return { case: { $and: [{ $gte: [groupBy, { $literal: lower }] }, { $lt: [groupBy, { $literal: upper }] }] }, then: { $literal: lower } };
  });
  const key = { $switch: { branches, default: others === undefined ? NOWHERE : { $literal: others } } };
  return [{ $group: { ...(output as Operand), _id: key } }, { $sort: { _id: 1 } }];
}

function toBounds(given: readonly unknown[], areDates: boolean): readonly Bound[] {
  const bounds = given.map((bound) => (areDates ? (parseTimestamp(isPlainObject(bound) ? bound['$toDate'] : bound) ?? bound) : bound));
  const isRising = bounds.every((bound, index) => isBound(bound) && (index === 0 || isBelow(bounds[index - 1], bound)));
  if (!isRising) throw invalid('$bucket: boundaries must be numbers, texts or dates of one type, each more than the one before');
  return bounds as readonly Bound[];
}

const isBound = (value: unknown): value is Bound => typeof value === 'number' || typeof value === 'string' || value instanceof Date;
const isOneType = (left: unknown, right: unknown) => typeof left === typeof right && left instanceof Date === right instanceof Date;
const isBelow = (left: unknown, right: Bound) => isOneType(left, right) && orderOf(left, right) < 0;

/** It would name one of the buckets. */
function refuseInside(others: unknown, bounds: readonly Bound[]): void {
  const [first, last] = [bounds[0] as Bound, bounds.at(-1) as Bound];
  if (isBound(others) && isOneType(others, first) && orderOf(others, first) >= 0 && orderOf(others, last) < 0) throw invalid('$bucket: default must lie outside of the boundaries');
}
