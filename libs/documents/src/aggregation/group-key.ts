import type { Path } from '../filter/ast';
import { isPlainObject } from '../filter/parser';
import { isPlace, parsePath } from '../filter/path';
import { plainFormat } from './dates/date-text';
import { TimeZone } from './dates/time-zone';

/** What a store can group by itself. */
export type GroupKey = { readonly kind: 'none' } | SimpleKey | { readonly kind: 'parts'; readonly parts: readonly (readonly [name: string, key: SimpleKey])[] };

export type SimpleKey =
  | { readonly kind: 'path'; readonly path: Path }
  /** `$dateTrunc` of the instant: spans of a fixed length from an origin, or of months. */
  | { readonly kind: 'span'; readonly milliseconds: number; readonly origin: number } & ByClocks
  | { readonly kind: 'months'; readonly months: number } & ByClocks
  /** `$dateToString` of the instant. */
  | { readonly kind: 'text'; readonly format: string } & ByClocks
  /** `$hour` and the like of the instant. */
  | { readonly kind: 'calendar'; readonly part: CalendarPart } & ByClocks;

/** As clocks of the zone show the instant; by itself in UTC. */
interface ByClocks {
  readonly zone?: TimeZone;
}

export const CALENDAR_PARTS = ['$year', '$month', '$dayOfMonth', '$dayOfWeek', '$isoDayOfWeek', '$dayOfYear', '$hour', '$minute', '$second'] as const;
export type CalendarPart = (typeof CALENDAR_PARTS)[number];

const DAY = 86_400_000;
const LENGTHS: Readonly<Record<string, number>> = { millisecond: 1, second: 1_000, minute: 60_000, hour: 3_600_000, day: DAY, week: 7 * DAY };
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };
/** MongoDB counts spans of several units from the year 2000, which began on a Saturday. */
const ORIGIN = Date.UTC(2000, 0, 1);
const WEEKDAYS = ['sat', 'sun', 'mon', 'tue', 'wed', 'thu', 'fri'];
const MOST_UNITS = 10_000;

type IsDate = (path: string) => boolean;

/** `undefined`: the pipeline in memory knows how. */
export function planKey(expression: unknown, isDate: IsDate): GroupKey | undefined {
  if (expression === null) return { kind: 'none' };
  const simple = planSimple(expression, isDate);
  if (simple || !isPlainObject(expression)) return simple;
  const parts = Object.entries(expression).map(([name, inner]) => [name, name.startsWith('$') ? undefined : planSimple(inner, isDate)] as const);
  const known = parts.filter((part): part is readonly [string, SimpleKey] => part[1] !== undefined);
  return parts.length > 0 && known.length === parts.length ? { kind: 'parts', parts: known } : undefined;
}

function planSimple(expression: unknown, isDate: IsDate): SimpleKey | undefined {
  const path = planPath(expression);
  if (path) return { kind: 'path', path };
  if (!isPlainObject(expression)) return undefined;
  const [operator, operand] = Object.entries(expression)[0] ?? [];
  const isInstant = (of: unknown) => of === '$_ts' && isDate('_ts');
  if (operator === '$dateTrunc') return planSpan(operand, isInstant);
  if (operator === '$dateToString') return planText(operand, isInstant);
  return planPart(CALENDAR_PARTS.find((name) => name === operator), operand, isInstant);
}

/** `{ $hour: <date> }`, and `{ $hour: { date, timezone } }`. */
function planPart(part: CalendarPart | undefined, operand: unknown, isInstant: (of: unknown) => boolean): SimpleKey | undefined {
  const operands = isPlainObject(operand) ? operand : { date: operand };
  return part && isPlainInstant(operands, [], isInstant) ? { kind: 'calendar', part, ...clocksOf(operands) } : undefined;
}

function planSpan(operand: unknown, isInstant: (of: unknown) => boolean): SimpleKey | undefined {
  if (!isPlainObject(operand) || !isPlainInstant(operand, ['unit', 'binSize', 'startOfWeek'], isInstant)) return undefined;
  const { unit, binSize = 1, startOfWeek } = operand;
  if (!isCount(binSize)) return undefined;
  const months = MONTHS[String(unit)];
  const clocks = clocksOf(operand);
  if (months !== undefined) return { kind: 'months', months: months * binSize, ...clocks };
  const length = LENGTHS[String(unit)];
  const weekday = weekdayOf(unit, startOfWeek);
  if (length === undefined || weekday === -1) return undefined;
  return length < DAY ? hoursOf(length * binSize, clocks) : { kind: 'span', milliseconds: length * binSize, origin: ORIGIN + weekday * DAY, ...clocks };
}

const weekdayOf = (unit: unknown, first: unknown = 'sunday'): number => (unit === 'week' ? WEEKDAYS.indexOf(String(first).toLowerCase().slice(0, 3)) : 0);

/** An hour is an hour when clocks are changed: only what hours are counted from is the zone's. */
const hoursOf = (milliseconds: number, { zone }: ByClocks): SimpleKey => ({ kind: 'span', milliseconds, origin: ORIGIN - (zone?.offsetAt(ORIGIN) ?? 0) });

/** Of the instant, in a zone that is named, with nothing else said than these. */
function isPlainInstant({ date, timezone = 'UTC', ...others }: Record<string, unknown>, known: readonly string[], isInstant: (of: unknown) => boolean): boolean {
  return isInstant(date) && typeof timezone === 'string' && !timezone.startsWith('$') && Object.keys(others).every((name) => known.includes(name));
}

function clocksOf({ timezone }: Record<string, unknown>): ByClocks {
  const zone = TimeZone.of(timezone);
  return zone.isUtc ? {} : { zone };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MOST_UNITS;

/** Parts that all stores write alike, and what stands between them usually. */
const FORMAT = /^(?:%[YmdHMSLj]|[-T:. /_Z])+$/;

function planText(operand: unknown, isInstant: (of: unknown) => boolean): SimpleKey | undefined {
  if (!isPlainObject(operand) || !isPlainInstant(operand, ['format', 'onNull'], isInstant)) return undefined;
  const clocks = clocksOf(operand);
  const { format = plainFormat(clocks.zone ?? TimeZone.of('UTC')) } = operand;
  return typeof format === 'string' && FORMAT.test(format) && format.length <= 100 ? { kind: 'text', format, ...clocks } : undefined;
}

/** A field path without numbers: an expression never takes them for indexes, `#>` would. */
export function planPath(expression: unknown): Path | undefined {
  if (typeof expression !== 'string' || !/^\$[^$]/.test(expression)) return undefined;
  const path = parsePath(expression.slice(1), 'pipeline');
  return path.some(isPlace) ? undefined : path;
}
