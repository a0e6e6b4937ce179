import { invalid } from '@twinyard/conventions';
import { dayOfWeek, dayOfYear, isoDayOfWeek, isoWeek, isoWeekYear, weekOfYear } from './calendar';
import type { TimeZone } from './time-zone';

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');
const monthOf = (local: number): string => MONTHS[new Date(local).getUTCMonth()] as string;

/** Of a local time, as if it were UTC. */
const PARTS: Readonly<Record<string, (local: number) => string>> = {
  Y: (local) => padded(new Date(local).getUTCFullYear(), 4),
  G: (local) => padded(isoWeekYear(local), 4),
  m: (local) => padded(new Date(local).getUTCMonth() + 1, 2),
  b: (local) => monthOf(local).slice(0, 3),
  B: monthOf,
  d: (local) => padded(new Date(local).getUTCDate(), 2),
  H: (local) => padded(new Date(local).getUTCHours(), 2),
  M: (local) => padded(new Date(local).getUTCMinutes(), 2),
  S: (local) => padded(new Date(local).getUTCSeconds(), 2),
  L: (local) => padded(new Date(local).getUTCMilliseconds(), 3),
  j: (local) => padded(dayOfYear(local), 3),
  u: (local) => String(isoDayOfWeek(local)),
  w: (local) => String(dayOfWeek(local)),
  U: (local) => padded(weekOfYear(local), 2),
  V: (local) => padded(isoWeek(local), 2),
};

/** Of the offset of a zone, in minutes. */
const OFFSETS: Readonly<Record<string, (minutes: number) => string>> = {
  z: (minutes) => `${minutes < 0 ? '-' : '+'}${padded(Math.floor(Math.abs(minutes) / 60), 2)}${padded(Math.abs(minutes) % 60, 2)}`,
  Z: String,
};

/** Where none is said. */
export const plainFormat = (zone: TimeZone): string => `%Y-%m-%dT%H:%M:%S.%L${zone.isUtc ? 'Z' : ''}`;

/** `$dateToString`. */
export function dateText(instant: number, zone: TimeZone, format: unknown = plainFormat(zone)): string {
  if (typeof format !== 'string') throw invalid('$dateToString: format is a text');
  const offset = zone.offsetAt(instant);
  return format.replace(/%([\s\S]?)/g, (_, name: string) => {
    if (name === '%') return '%';
    const text = PARTS[name]?.(instant + offset) ?? OFFSETS[name]?.(Math.trunc(offset / 60_000));
    if (text === undefined) throw invalid(`$dateToString: the format has no %${name}`);
    return text;
  });
}
