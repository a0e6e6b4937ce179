import type { Path } from '../filter/ast';
import { isPlainObject } from '../filter/parser';
import { isIndex, parsePath } from '../filter/path';

/** What a store can group by itself. */
export type GroupKey = { readonly kind: 'none' } | SimpleKey | { readonly kind: 'parts'; readonly parts: readonly (readonly [name: string, key: SimpleKey])[] };

export type SimpleKey =
  | { readonly kind: 'path'; readonly path: Path }
  /** `$dateTrunc` of the instant: spans of a fixed length from an origin, or of months. */
  | { readonly kind: 'span'; readonly milliseconds: number; readonly origin: number }
  | { readonly kind: 'months'; readonly months: number }
  /** `$dateToString` of the instant. */
  | { readonly kind: 'text'; readonly format: string }
  /** `$hour` and the like of the instant. */
  | { readonly kind: 'calendar'; readonly part: CalendarPart };

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
  const part = CALENDAR_PARTS.find((name) => name === operator);
  return part && isInstant(operand) ? { kind: 'calendar', part } : undefined;
}

function planSpan(operand: unknown, isInstant: (of: unknown) => boolean): SimpleKey | undefined {
  if (!isPlainObject(operand) || !isPlainInstant(operand, ['unit', 'binSize', 'startOfWeek'], isInstant)) return undefined;
  const { unit, binSize = 1, startOfWeek = 'sunday' } = operand;
  if (!isCount(binSize)) return undefined;
  const months = MONTHS[String(unit)];
  if (months !== undefined) return { kind: 'months', months: months * binSize };
  const length = LENGTHS[String(unit)];
  const weekday = unit === 'week' ? WEEKDAYS.indexOf(String(startOfWeek).toLowerCase().slice(0, 3)) : 0;
  return length === undefined || weekday === -1 ? undefined : { kind: 'span', milliseconds: length * binSize, origin: ORIGIN + weekday * DAY };
}

/** Of the instant, in UTC, with nothing else said than these. */
function isPlainInstant({ date, timezone = 'UTC', ...others }: Record<string, unknown>, known: readonly string[], isInstant: (of: unknown) => boolean): boolean {
  return isInstant(date) && timezone === 'UTC' && Object.keys(others).every((name) => known.includes(name));
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MOST_UNITS;

/** Parts that all stores write alike, and what stands between them usually. */
const FORMAT = /^(?:%[YmdHMSLj]|[-T:. /_Z])+$/;

function planText(operand: unknown, isInstant: (of: unknown) => boolean): SimpleKey | undefined {
  if (!isPlainObject(operand) || !isPlainInstant(operand, ['format', 'onNull'], isInstant)) return undefined;
  const { format = '%Y-%m-%dT%H:%M:%S.%LZ' } = operand;
  return typeof format === 'string' && FORMAT.test(format) && format.length <= 100 ? { kind: 'text', format } : undefined;
}

/** A field path without numbers: an expression never takes them for indexes, `#>` would. */
export function planPath(expression: unknown): Path | undefined {
  if (typeof expression !== 'string' || !/^\$[^$]/.test(expression)) return undefined;
  const path = parsePath(expression.slice(1), 'pipeline');
  return path.some(isIndex) ? undefined : path;
}
