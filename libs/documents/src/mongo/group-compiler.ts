import type { TimeZone } from '../aggregation/dates/time-zone';
import type { SimpleKey } from '../aggregation/group-key';
import type { GroupField, GroupPlan } from '../aggregation/group-plan';
import type { GroupSortKey, GroupTail } from '../aggregation/group-tail';
import type { JsonObject } from '../document';
import { clocks, isUntold } from './clocks';
import { decodeValue } from './document-codec';
import type { FieldName } from './stored-fields';

export interface GroupSource {
  readonly fieldOf: FieldName;
  /** Fields of the order in which groups come: that of their first document. */
  readonly order: readonly string[];
  /** Of a time series. */
  readonly instant?: string;
}

/** Results by their places in the plan (`f0` …): the names are the caller's and may be any. */
export interface GroupRow {
  readonly _id: unknown;
  /** 1: the values are not of the kind that MongoDB and the pipeline in memory treat alike (minima of mixed types). */
  readonly unfit: number;
  readonly [place: string]: unknown;
}

type Expression = unknown;

/** `undefined`: some of it is for the pipeline in memory. Percentiles of MongoDB are approximate, and of the contract exact. */
export function compileGroup(plan: GroupPlan, { fieldOf, order, instant }: GroupSource, tail: GroupTail): Record<string, unknown>[] | undefined {
  if (plan.fields.some(({ accumulator }) => accumulator === '$percentile')) return undefined;
  const outputs = plan.fields.map((field, place) => [`f${place}`, outputOf(field, fieldOf)]);
  const firsts = order.map((name, place) => [`o${place}`, { $min: `$${name}` }]);
  const checks = [...keyParts(plan).flatMap((part) => [...arraysInKey(part, fieldOf), ...beyondClocks(part, instant)]), ...plan.fields.flatMap((field) => mixedTypes(field, fieldOf))];
  const unfit = checks.length === 0 ? { $max: { $literal: 0 } } : { $max: { $cond: [{ $or: checks }, 1, 0] } };
  const sort = [['unfit', -1], ...tail.sort.map(({ of, direction }) => [nameOf(of), direction]), ...order.map((_, place) => [`o${place}`, 1])];
  const hasEnds = plan.fields.some(({ accumulator }) => accumulator === '$first' || accumulator === '$last');
  return [
    ...(hasEnds ? [{ $sort: Object.fromEntries(order.map((name) => [name, 1])) }] : []),
    { $group: { _id: keyOf(plan, fieldOf, instant), unfit, ...Object.fromEntries([...outputs, ...firsts]) } },
    // Those that do not fit come first: where some do, one of them is in the answer, whatever is cut off.
    { $sort: Object.fromEntries(sort) },
    ...(tail.skip > 0 ? [{ $skip: tail.skip }] : []),
    { $limit: tail.limit },
  ];
}

export function toGroups(plan: GroupPlan, rows: readonly GroupRow[]): JsonObject[] {
  return rows.map((row) => ({
    _id: decodeKey(plan, row._id),
    ...Object.fromEntries(plan.fields.map((field, place) => [field.name, decodeValue(row[`f${place}`] ?? null)])),
  }));
}

const nameOf = (of: GroupSortKey['of']): string => {
  if (of === 'key') return '_id';
  return 'part' in of ? `_id.p${of.part}` : `f${of.field}`;
};

function keyParts({ key }: GroupPlan): readonly SimpleKey[] {
  if (key.kind === 'none') return [];
  return key.kind === 'parts' ? key.parts.map(([, part]) => part) : [key];
}

function keyOf({ key }: GroupPlan, fieldOf: FieldName, instant = ''): Expression {
  if (key.kind === 'none') return null;
  if (key.kind !== 'parts') return simpleKeyOf(key, fieldOf, `$${instant}`);
  return Object.fromEntries(key.parts.map(([, inner], place) => [`p${place}`, simpleKeyOf(inner, fieldOf, `$${instant}`)]));
}

/** Spans of time as numbers, by arithmetic instead of `$dateTrunc`: milliseconds since the origin, or months since the year 2000. */
function simpleKeyOf(key: SimpleKey, fieldOf: FieldName, instant: string): Expression {
  switch (key.kind) {
    case 'path':
      return `$${fieldOf(key.path)}`;
    case 'span':
      return lowerBound({ $subtract: [localOf(instant, key.zone), new Date(key.origin)] }, key.milliseconds);
    case 'months':
      return monthsOf(localOf(instant, key.zone), key.months);
    case 'text':
      return { $dateToString: { date: localOf(instant, key.zone), format: key.format } };
    case 'calendar':
      return { [key.part]: localOf(instant, key.zone) };
  }
}

const localOf = (instant: string, zone: TimeZone | undefined): Expression => (zone === undefined ? instant : clocks(instant, zone));
const monthsOf = (local: Expression, months: number): Expression => (
  lowerBound({ $add: [{ $multiply: [{ $year: local }, 12] }, { $subtract: [{ $month: local }, 24_001] }] }, months)
);

/** The remainder of what lies before the origin is negative. */
const lowerBound = (since: Expression, length: number): Expression => ({ $subtract: [since, { $mod: [{ $add: [{ $mod: [since, length] }, length] }, length] }] });

function decodeKey({ key }: GroupPlan, value: unknown): unknown {
  if (key.kind === 'none') return null;
  if (key.kind !== 'parts') return decodeSimple(key, value ?? null);
  const parts = value as JsonObject;
  const there = key.parts.map(([name, inner], place) => [name, inner, parts[`p${place}`]] as const).filter(([, , part]) => part !== undefined);
  return Object.fromEntries(there.map(([name, inner, part]) => [name, decodeSimple(inner, part)]));
}

function decodeSimple(key: SimpleKey, value: unknown): unknown {
  const toText = (local: number) => new Date((key as { readonly zone?: TimeZone }).zone?.instantOf(local) ?? local).toISOString();
  if (key.kind === 'span') return toText(key.origin + Number(value));
  if (key.kind !== 'months') return decodeValue(value);
  const start = new Date(0);
  start.setUTCFullYear(2000 + Math.floor(Number(value) / 12), ((Number(value) % 12) + 12) % 12);
  return toText(start.getTime());
}

const outputOf = ({ accumulator, of }: GroupField, fieldOf: FieldName): Expression => ({ [accumulator]: typeof of === 'number' ? of : `$${fieldOf(of)}` });

/** As PostgreSQL has it, such groups are made in memory: not every server compares arrays as keys. */
function arraysInKey(key: SimpleKey, fieldOf: FieldName): Expression[] {
  return key.kind === 'path' ? [{ $isArray: `$${fieldOf(key.path)}` }] : [];
}

const beyondClocks = (key: SimpleKey, instant = ''): Expression[] => ('zone' in key ? isUntold(`$${instant}`) : []);

/** Texts and all that BSON sorts behind them. */
function mixedTypes({ accumulator: operator, of }: GroupField, fieldOf: FieldName): Expression[] {
  if (typeof of === 'number' || (operator !== '$min' && operator !== '$max')) return [];
  const name = fieldOf(of);
  return name === '_id.ts' ? [] : [{ $gte: [`$${name}`, ''] }];
}
