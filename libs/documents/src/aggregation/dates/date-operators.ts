import { invalid } from '@twinyard/conventions';
import { evalExpr } from 'mingo/core';
import type { Any, AnyObject, Options } from 'mingo/types';
import { isPlainObject } from '../../filter/parser';
import { parseTimestamp } from '../../timestamp';
import { dayOfWeek, dayOfYear, isoDayOfWeek, isoWeek, isoWeekYear, weekOfYear } from './calendar';
import { added, difference, truncated } from './date-spans';
import { dateText } from './date-text';
import { parseUnit, parseWeekday } from './date-unit';
import { TimeZone } from './time-zone';

type Operator = (document: AnyObject, operand: Any, options: Options) => unknown;
type Operands = Readonly<Record<string, unknown>>;

/** What a date past the years of JavaScript would be. */
const asDate = (operator: string, instant: number): Date => {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) throw invalid(`${operator}: the date is too far away`);
  return date;
};

function instantIn(operator: string, date: unknown): number {
  if (!(date instanceof Date)) throw invalid(`${operator}: needs a date`);
  return date.getTime();
}

/** MongoDB answers `null` where the date or one of these is `null` or missing; `timezone` may be missing alone. */
const isNull = (value: unknown): boolean => value === null || value === undefined;
const lacks = (operands: Operands, ...names: readonly string[]): boolean => operands['timezone'] === null || names.some((name) => isNull(operands[name]));

/** Operators whose operand is an object of these. */
const ofOperands = (operator: string, apply: (operands: Operands) => unknown): Operator => (document, operand, options) => {
  if (!isPlainObject(operand)) throw invalid(`${operator}: needs an object`);
  return apply(evalExpr(document, operand as Any, options) as Operands);
};

function count(operator: string, value: unknown, least: number): number {
  if (!Number.isSafeInteger(value) || (value as number) < least) throw invalid(`${operator}: needs a whole number${least > 0 ? `, ${least} or more` : ''}`);
  return value as number;
}

const trunc = ofOperands('$dateTrunc', (operands) => {
  if (lacks(operands, 'date', 'unit') || operands['binSize'] === null || operands['startOfWeek'] === null) return null;
  const { date, unit, binSize = 1, timezone, startOfWeek } = operands;
  const span = { unit: parseUnit('$dateTrunc', unit), count: count('$dateTrunc', binSize, 1), weekday: parseWeekday('$dateTrunc', startOfWeek) };
  return asDate('$dateTrunc', truncated(instantIn('$dateTrunc', date), span, TimeZone.of(timezone)));
});

const toText = ofOperands('$dateToString', (operands) => {
  const { date, format, timezone, onNull = null } = operands;
  if (isNull(date)) return onNull;
  return timezone === null || format === null ? null : dateText(instantIn('$dateToString', date), TimeZone.of(timezone), format);
});

const shift = (operator: '$dateAdd' | '$dateSubtract'): Operator => ofOperands(operator, (operands) => {
  if (lacks(operands, 'startDate', 'unit', 'amount')) return null;
  const { startDate, unit, amount, timezone } = operands;
  const whole = count(operator, amount, -Infinity);
  return asDate(operator, added(instantIn(operator, startDate), operator === '$dateAdd' ? whole : -whole, parseUnit(operator, unit), TimeZone.of(timezone)));
});

const between = ofOperands('$dateDiff', (operands) => {
  if (lacks(operands, 'startDate', 'endDate', 'unit')) return null;
  const { startDate, endDate, unit, timezone, startOfWeek } = operands;
  const span = { unit: parseUnit('$dateDiff', unit), weekday: parseWeekday('$dateDiff', startOfWeek) };
  return difference(instantIn('$dateDiff', startDate), instantIn('$dateDiff', endDate), span, TimeZone.of(timezone));
});

/** An operand may stand alone in a list. */
const theOne = (given: unknown): unknown => (Array.isArray(given) && given.length === 1 ? (given[0] as unknown) : given);

/** Without a zone a text is UTC, wherever the server is. */
const toDate: Operator = (document, operand, options) => {
  const value = theOne(evalExpr(document, operand as Any, options));
  if (isNull(value) || value instanceof Date) return value ?? null;
  const date = typeof value === 'number' ? asDate('$toDate', Math.trunc(value)) : parseTimestamp(value);
  if (date === undefined) throw invalid('$toDate: needs a date and time in ISO 8601, or milliseconds since 1970');
  return date;
};

const utc = (part: (date: Date) => number) => (local: number) => part(new Date(local));

/** Of a local time, as if it were UTC. */
const PARTS: Readonly<Record<string, (local: number) => number>> = {
  $year: utc((date) => date.getUTCFullYear()), $month: utc((date) => date.getUTCMonth() + 1), $dayOfMonth: utc((date) => date.getUTCDate()),
  $hour: utc((date) => date.getUTCHours()), $minute: utc((date) => date.getUTCMinutes()), $second: utc((date) => date.getUTCSeconds()), $millisecond: utc((date) => date.getUTCMilliseconds()),
  $dayOfWeek: dayOfWeek, $dayOfYear: dayOfYear, $week: weekOfYear, $isoDayOfWeek: isoDayOfWeek, $isoWeek: isoWeek, $isoWeekYear: isoWeekYear,
};

/** `{ $hour: <date> }`, and `{ $hour: { date, timezone } }`. */
const partOf = (operator: string, part: (local: number) => number): Operator => (document, operand, options) => {
  const value = theOne(evalExpr(document, operand as Any, options));
  const { date, timezone } = isPlainObject(value) && !(value instanceof Date) ? value : { date: value, timezone: undefined };
  return isNull(date) || timezone === null ? null : part(TimeZone.of(timezone).localOf(instantIn(operator, date)));
};

/** With MongoDB's meaning of zones, weeks and months; mingo truncates in UTC and shifts then, knows half of the zones, and adds a month to 31 January by way of March. */
export const DATE_OPERATORS: Readonly<Record<string, Operator>> = {
  $dateTrunc: trunc, $dateToString: toText, $dateAdd: shift('$dateAdd'), $dateSubtract: shift('$dateSubtract'), $dateDiff: between, $toDate: toDate,
  ...Object.fromEntries(Object.entries(PARTS).map(([operator, part]) => [operator, partOf(operator, part)])),
};
