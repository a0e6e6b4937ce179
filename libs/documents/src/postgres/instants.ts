import type { TimeZone } from '../aggregation/dates/time-zone';
import { offsetsOf, TOLD_FROM, TOLD_UNTIL } from '../aggregation/dates/zone-offsets';
import type { CalendarPart } from '../aggregation/group-key';
import type { Statement } from './statement';

/** Dates leave the store as ISO text in UTC with milliseconds. */
export const iso = (instant: string) => `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export const utc = (instant: string) => `(${instant} at time zone 'UTC')`;

/** What clocks of the zone show, as a timestamp without one. */
export function clocks(statement: Statement, instant: string, zone: TimeZone): string {
  const { offsets, changes } = offsetsOf(zone);
  const shifts = `${statement.bind(offsets.map((offset) => `${offset} ms`))}::interval[]`;
  const instants = `${statement.bind(changes.map((change) => new Date(change).toISOString()))}::timestamptz[]`;
  return `(${utc(instant)} + (${shifts})[width_bucket(${instant}, ${instants}) + 1])`;
}

/** Beyond what is known of the changes of clocks. */
export const isUntold = (instant: string): string => `(${instant} < '${new Date(TOLD_FROM).toISOString()}' or ${instant} >= '${new Date(TOLD_UNTIL).toISOString()}')`;

/** The first instant of the month in UTC, or of the span of months that clocks show, counted from the year 2000. */
export const monthOf = (instant: string): string => `date_trunc('month', ${instant}, 'UTC')`;

export function monthsFrom(local: string, months: number): string {
  const since = `(extract(year from ${local})::int * 12 + extract(month from ${local})::int - 1 - 24000)`;
  return `('2000-01-01'::timestamp + make_interval(months => (floor(${since}::float8 / ${months}) * ${months})::int)) at time zone 'UTC'`;
}

const PARTS: Readonly<Record<CalendarPart, string>> = {
  $year: 'year', $month: 'month', $dayOfMonth: 'day', $dayOfWeek: 'dow', $isoDayOfWeek: 'isodow', $dayOfYear: 'doy', $hour: 'hour', $minute: 'minute', $second: 'second',
};

export function calendarPart(local: string, part: CalendarPart): string {
  const value = `floor(extract(${PARTS[part]} from ${local}))::int`;
  // Sunday is the first day of MongoDB's week.
  return part === '$dayOfWeek' ? `${value} + 1` : value;
}

const FIELDS: Readonly<Record<string, string>> = { Y: 'YYYY', m: 'MM', d: 'DD', H: 'HH24', M: 'MI', S: 'SS', L: 'MS', j: 'DDD' };

/** A format of `$dateToString` as one of `to_char`; the letters between are quoted. */
export const textFormat = (format: string): string => format.replace(/%(.)|[A-Z]/g, (text, field?: string) => (field === undefined ? `"${text}"` : (FIELDS[field] as string)));
