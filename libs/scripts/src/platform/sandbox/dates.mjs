// `libraries.dates`: dates as `Date`, in UTC or by the clocks of a zone. The sandbox has no zones: the host gives the offsets of one as a table.
import { placed } from './calls.mjs';
import { fieldsOf, instantOf, offsetIn, shownAt, UTC } from './clocks.mjs';

const FIXED = { milliseconds: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000, weeks: 604_800_000 };
const PATTERN = /yyyy|MM|dd|HH|mm|ss|SSS|XXX/g;
const ISO = /^(\d{4})-(\d\d)(?:-(\d\d))?(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

const fault = (message) => new RangeError(message);
const two = (number) => String(number).padStart(2, '0');

export function datesOf(ask) {
  return Object.freeze({
    zone: placed(async (name) => Object.freeze(await ask('zone', { name }))),
    parse,
    format,
    add,
    difference,
    startOf,
  });
}

function timeOf(date) {
  const at = date instanceof Date ? date.getTime() : typeof date === 'number' ? date : parse(date).getTime();
  if (Number.isNaN(at)) throw fault('A date that is none');
  return at;
}

function parse(text, zone = UTC) {
  const [, year, month, day = '01', hour = '00', minute = '00', second = '00', fraction = '', offset] = ISO.exec(String(text).trim()) ?? [];
  if (year === undefined) throw fault(`Not a date of ISO 8601: ${JSON.stringify(String(text).slice(0, 100))}`);
  const shown = Date.UTC(year, month - 1, day, hour, minute, second, fraction.padEnd(3, '0').slice(0, 3));
  // A day that the month does not have becomes one of the next.
  const isThere = new Date(shown).toISOString().startsWith(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
  if (!isThere) throw fault(`There is no such date: ${JSON.stringify(String(text).slice(0, 100))}`);
  return new Date(offset === undefined ? instantOf(shown, zone) : shown - offsetOf(offset));
}

function offsetOf(text) {
  if (/^z$/i.test(text)) return 0;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(text);
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function format(date, pattern = 'yyyy-MM-ddTHH:mm:ss.SSSXXX', zone = UTC) {
  const at = timeOf(date);
  const { year, month, day, hour, minute, second, millisecond } = fieldsOf(shownAt(at, zone));
  const offset = Math.round(offsetIn(zone, at) / 60_000);
  const parts = {
    yyyy: String(year).padStart(4, '0'), MM: two(month + 1), dd: two(day), HH: two(hour), mm: two(minute), ss: two(second), SSS: String(millisecond).padStart(3, '0'),
    XXX: offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`,
  };
  return pattern.replace(PATTERN, (token) => parts[token]);
}

/** Years, months, weeks and days by the calendar of the zone: the clock shows the same time; the rest as time passes. */
function add(date, { years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0 }, zone = UTC) {
  const at = timeOf(date);
  const passed = hours * FIXED.hours + minutes * FIXED.minutes + seconds * FIXED.seconds + milliseconds;
  if (years === 0 && months === 0 && weeks === 0 && days === 0) return new Date(at + passed);
  const shown = shownAt(at, zone);
  const { year, month, day } = fieldsOf(shown);
  const target = Date.UTC(year + years, month + months);
  // The 31st of a month that has none is its last day.
  const last = new Date(Date.UTC(year + years, month + months + 1, 0)).getUTCDate();
  const timeOfDay = shown - Date.UTC(year, month, day);
  const moved = target + (Math.min(day, last) - 1 + weeks * 7 + days) * FIXED.days + timeOfDay;
  return new Date(instantOf(moved, zone) + passed);
}

function difference(later, earlier, unit = 'milliseconds', zone = UTC) {
  const [to, from] = [timeOf(later), timeOf(earlier)];
  if (Object.hasOwn(FIXED, unit)) return (to - from) / FIXED[unit];
  if (unit !== 'months' && unit !== 'years') throw fault(`There is no unit ${JSON.stringify(unit)}`);
  if (to < from) return -difference(from, to, unit, zone) || 0;
  const [end, start] = [fieldsOf(shownAt(to, zone)), fieldsOf(shownAt(from, zone))];
  let months = (end.year - start.year) * 12 + end.month - start.month;
  if (add(new Date(from), { months }, zone).getTime() > to) months -= 1;
  return unit === 'months' ? months : Math.trunc(months / 12);
}

function startOf(date, unit, zone = UTC) {
  const shown = shownAt(timeOf(date), zone);
  const { year, month, day, weekday } = fieldsOf(shown);
  switch (unit) {
    // Within an hour no clock is set: it begins as the clock shows it, also where the hour comes twice.
    case 'minute': return new Date(timeOf(date) - (shown % FIXED.minutes + FIXED.minutes) % FIXED.minutes);
    case 'hour': return new Date(timeOf(date) - (shown % FIXED.hours + FIXED.hours) % FIXED.hours);
    case 'day': return new Date(instantOf(Date.UTC(year, month, day), zone));
    // It begins on Monday.
    case 'week': return new Date(instantOf(Date.UTC(year, month, day - (weekday + 6) % 7), zone));
    case 'month': return new Date(instantOf(Date.UTC(year, month), zone));
    case 'year': return new Date(instantOf(Date.UTC(year, 0), zone));
    default: throw fault(`There is no unit ${JSON.stringify(unit)}`);
  }
}
