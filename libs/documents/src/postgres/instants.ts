import type { CalendarPart } from '../aggregation/group-key';

/** Dates leave the store as ISO text in UTC with milliseconds. */
export const iso = (instant: string) => `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const utc = (instant: string) => `(${instant} at time zone 'UTC')`;

/** The first instant of the span of months, counted from the year 2000, that the instant lies in. */
export function monthsFrom(instant: string, months: number): string {
  if (months === 1) return `date_trunc('month', ${instant}, 'UTC')`;
  const since = `(extract(year from ${utc(instant)})::int * 12 + extract(month from ${utc(instant)})::int - 1 - 24000)`;
  return `('2000-01-01'::timestamp + make_interval(months => (floor(${since}::float8 / ${months}) * ${months})::int)) at time zone 'UTC'`;
}

const PARTS: Readonly<Record<CalendarPart, string>> = {
  $year: 'year', $month: 'month', $dayOfMonth: 'day', $dayOfWeek: 'dow', $isoDayOfWeek: 'isodow', $dayOfYear: 'doy', $hour: 'hour', $minute: 'minute', $second: 'second',
};

export function calendarPart(instant: string, part: CalendarPart): string {
  const value = `floor(extract(${PARTS[part]} from ${utc(instant)}))::int`;
  // Sunday is the first day of MongoDB's week.
  return part === '$dayOfWeek' ? `${value} + 1` : value;
}

const FIELDS: Readonly<Record<string, string>> = { Y: 'YYYY', m: 'MM', d: 'DD', H: 'HH24', M: 'MI', S: 'SS', L: 'MS', j: 'DDD' };

/** A format of `$dateToString` as one of `to_char`; the letters between are quoted. */
export const textFormat = (format: string): string => format.replace(/%(.)|[A-Z]/g, (text, field?: string) => (field === undefined ? `"${text}"` : (FIELDS[field] as string)));
