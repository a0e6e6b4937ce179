import { addMonths, dayOf, dayOfWeek, monthsOf, startOfDay, startOfMonths } from './calendar';
import type { DateUnit } from './date-unit';
import type { TimeZone } from './time-zone';

const HOUR = 3_600_000;
/** MongoDB counts spans of several units from the year 2000, as clocks of the zone show it. */
const ORIGIN = Date.UTC(2000, 0, 1);
const ORIGIN_DAY = dayOf(ORIGIN);
const ORIGIN_MONTH = 2000 * 12;

interface Span {
  readonly unit: DateUnit;
  readonly count: number;
  /** Sunday is 0. */
  readonly weekday: number;
}

const floorTo = (value: number, length: number): number => Math.floor(value / length) * length;

/** `$dateTrunc`: where the span begins that the instant lies in. */
export function truncated(instant: number, { unit, count, weekday }: Span, zone: TimeZone): number {
  const length = unit.length * count;
  if (unit.kind === 'milliseconds') {
    const origin = ORIGIN - zone.offsetAt(ORIGIN);
    return origin + floorTo(instant - origin, length);
  }
  const local = zone.localOf(instant);
  if (unit.kind === 'months') return zone.instantOf(startOfMonths(ORIGIN_MONTH + floorTo(monthsOf(local) - ORIGIN_MONTH, length)));
  const origin = ORIGIN_DAY + (unit.length === 7 ? daysUntil(weekday) : 0);
  return zone.instantOf(startOfDay(origin + floorTo(dayOf(local) - origin, length)));
}

/** From the first day of the year 2000 to the next such day of a week. */
const daysUntil = (weekday: number): number => (weekday + 1 - dayOfWeek(ORIGIN) + 7) % 7;

/** `$dateAdd`: calendars add days and months, clocks the rest. */
export function added(instant: number, amount: number, unit: DateUnit, zone: TimeZone): number {
  if (unit.kind === 'milliseconds') return instant + amount * unit.length;
  const local = zone.localOf(instant);
  return zone.instantOf(unit.kind === 'months' ? addMonths(local, amount * unit.length) : local + startOfDay(amount * unit.length));
}

/** `$dateDiff`: how many of these begin between the two, behind the first and up to the second. */
export function difference(from: number, to: number, { unit, weekday }: Omit<Span, 'count'>, zone: TimeZone): number {
  const count = (instant: number) => unitsUntil(instant, { unit, weekday }, zone);
  return count(to) - count(from);
}

function unitsUntil(instant: number, { unit, weekday }: Omit<Span, 'count'>, zone: TimeZone): number {
  if (unit.kind === 'months') return Math.floor(monthsOf(zone.localOf(instant)) / unit.length);
  if (unit.kind === 'days') return Math.floor((dayOf(zone.localOf(instant)) - ORIGIN_DAY - daysUntil(weekday) * (unit.length === 7 ? 1 : 0)) / unit.length);
  // An hour is an hour when clocks are changed; where it begins is said by the zone, which may be half an hour off.
  return Math.floor((instant + (zone.offsetAt(instant) % HOUR)) / unit.length);
}
