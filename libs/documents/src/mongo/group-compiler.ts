import type { GroupField, GroupKey, GroupPlan, SpanUnit } from '../aggregation/group-plan';
import { MAX_PIPELINE_DOCUMENTS } from '../aggregation/run-pipeline';
import type { JsonObject } from '../document';
import { decodeValue } from './document-codec';
import type { FieldName } from './stored-fields';

export interface GroupSource {
  readonly fieldOf: FieldName;
  /** Fields of the order in which groups come: that of their first document. */
  readonly order: readonly string[];
}

/** Results by their places in the plan (`f0` …): the names are the caller's and may be any. */
export interface GroupRow {
  readonly _id: unknown;
  /** 1: the values are not of the kind that MongoDB and the pipeline in memory treat alike (minima of mixed types). */
  readonly unfit: number;
  readonly [place: string]: unknown;
}

type Expression = unknown;

export function compileGroup(plan: GroupPlan, { fieldOf, order }: GroupSource): Record<string, unknown>[] {
  const outputs = plan.fields.map((field, place) => [`f${place}`, accumulator(field, fieldOf)]);
  const order_ = order.map((name, place) => [`o${place}`, { $min: `$${name}` }]);
  const unfit = { $max: { $cond: [{ $or: [...arraysInKey(plan.key, fieldOf), ...plan.fields.flatMap((field) => mixedTypes(field, fieldOf))] }, 1, 0] } };
  return [
    { $group: { _id: keyOf(plan.key, fieldOf), unfit, ...Object.fromEntries([...outputs, ...order_]) } },
    ...(order.length > 0 ? [{ $sort: Object.fromEntries(order.map((_, place) => [`o${place}`, 1])) }] : []),
    { $limit: MAX_PIPELINE_DOCUMENTS },
  ];
}

export function toGroups(plan: GroupPlan, rows: readonly GroupRow[]): JsonObject[] {
  return rows.map((row) => ({
    _id: decodeKey(plan.key, row._id),
    ...Object.fromEntries(plan.fields.map((field, place) => [field.name, decodeValue(row[`f${place}`])])),
  }));
}

function keyOf(key: GroupKey, fieldOf: FieldName): Expression {
  switch (key.kind) {
    case 'none':
      return null;
    case 'path':
      return `$${fieldOf(key.path)}`;
    case 'span':
      return spanOf(`$${fieldOf([key.path])}`, key);
    case 'parts':
      return Object.fromEntries(key.parts.map(([, inner], place) => [`p${place}`, keyOf(inner, fieldOf)]));
  }
}

const EPOCH = new Date('2000-01-01T00:00:00Z');
const SPANS: Readonly<Record<Exclude<SpanUnit, 'year' | 'month'>, number>> = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000 };

/**
 * A span of time as a number, by arithmetic instead of `$dateTrunc`: milliseconds since 2000, from where MongoDB counts spans of
 * several units, or months since the year 0.
 */
function spanOf(date: string, { unit, size }: { readonly unit: SpanUnit; readonly size: number }): Expression {
  if (unit === 'year') return { $multiply: [{ $year: date }, 12] };
  if (unit === 'month') return { $add: [{ $multiply: [{ $year: date }, 12] }, { $subtract: [{ $month: date }, 1] }] };
  const length = SPANS[unit] * size;
  const since = { $subtract: [date, EPOCH] };
  // The remainder of an instant before 2000 is negative.
  return { $subtract: [since, { $mod: [{ $add: [{ $mod: [since, length] }, length] }, length] }] };
}

function decodeKey(key: GroupKey, value: unknown): unknown {
  if (key.kind === 'span') return startOf(key.unit, Number(value)).toISOString();
  if (key.kind !== 'parts') return decodeValue(value ?? null);
  const parts = value as JsonObject;
  const there = key.parts.map(([name, inner], place) => [name, inner, parts[`p${place}`]] as const).filter(([, , part]) => part !== undefined);
  return Object.fromEntries(there.map(([name, inner, part]) => [name, decodeKey(inner, part)]));
}

function startOf(unit: SpanUnit, count: number): Date {
  if (unit !== 'year' && unit !== 'month') return new Date(EPOCH.getTime() + count);
  const start = new Date(0);
  start.setUTCFullYear(Math.floor(count / 12), count % 12);
  return start;
}

const accumulator = ({ accumulator: operator, of }: GroupField, fieldOf: FieldName): Expression => ({ [operator]: typeof of === 'number' ? of : `$${fieldOf(of)}` });

/** As PostgreSQL has it, such groups are made in memory: not every server compares arrays as keys. */
function arraysInKey(key: GroupKey, fieldOf: FieldName): Expression[] {
  if (key.kind === 'path') return [{ $isArray: `$${fieldOf(key.path)}` }];
  return key.kind === 'parts' ? key.parts.flatMap(([, inner]) => arraysInKey(inner, fieldOf)) : [];
}

/** Texts and all that BSON sorts behind them. */
function mixedTypes({ accumulator: operator, of }: GroupField, fieldOf: FieldName): Expression[] {
  if (typeof of === 'number' || (operator !== '$min' && operator !== '$max')) return [];
  const name = fieldOf(of);
  return name === '_id.ts' ? [] : [{ $gte: [`$${name}`, ''] }];
}
