import { invalid } from '@twinyard/conventions';

/** Units that are as long everywhere, in milliseconds. */
const FIXED: Readonly<Record<string, number>> = { millisecond: 1, second: 1_000, minute: 60_000, hour: 3_600_000 };
/** Units of the calendar. */
const DAYS: Readonly<Record<string, number>> = { day: 1, week: 7 };
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

export type DateUnit =
  | { readonly kind: 'milliseconds'; readonly length: number }
  | { readonly kind: 'days'; readonly length: number }
  | { readonly kind: 'months'; readonly length: number };

export function parseUnit(operator: string, name: unknown): DateUnit {
  const unit = typeof name === 'string' ? unitOf(name) : undefined;
  if (unit === undefined) throw invalid(`${operator}: unit is one of year, quarter, month, week, day, hour, minute, second, millisecond`);
  return unit;
}

function unitOf(name: string): DateUnit | undefined {
  for (const [kind, lengths] of [['milliseconds', FIXED], ['days', DAYS], ['months', MONTHS]] as const) {
    const length = Object.hasOwn(lengths, name) ? lengths[name] : undefined;
    if (length !== undefined) return { kind, length };
  }
  return undefined;
}

/** Sunday is 0, and where weeks begin unless something else is said. */
export function parseWeekday(operator: string, name: unknown = 'sunday'): number {
  const text = String(name).toLowerCase();
  const weekday = NAMES.includes(text) ? NAMES.indexOf(text) : WEEKDAYS.indexOf(text);
  if (weekday === -1) throw invalid(`${operator}: startOfWeek is a day of the week`);
  return weekday;
}
