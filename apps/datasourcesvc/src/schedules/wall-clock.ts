/** Times that clocks show, as the epoch milliseconds that they would be in UTC. */
const DAY_MS = 86_400_000;
const MOST_ZONES = 1_000;

/** To make one takes a thousand times as long as to ask it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Of the IANA database; offsets such as `+01:00` are none. */
export function isTimezone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    formatOf(text);
    return true;
  } catch {
    return false;
  }
}

/** The instant at which clocks there show this: the first of two, and for a time that they skip the moment in which they do. */
export function instantOf(shown: number, timezone: string): number {
  const offsets = [offsetAt(shown - DAY_MS, timezone), offsetAt(shown + DAY_MS, timezone)];
  const instants = offsets.map((offset) => shown - offset).filter((at) => shownAt(at, timezone) === shown);
  return instants.length > 0 ? Math.min(...instants) : changeBetween(shown - DAY_MS, shown + DAY_MS, timezone);
}

/** The latest time that clocks there have shown until then: in an hour that comes twice, its end, when they have shown it before. */
export function latestShown(at: number, timezone: string): number {
  const before = offsetAt(at - DAY_MS, timezone);
  const shown = shownAt(at, timezone);
  if (before <= shown - at) return shown;
  return Math.max(shown, changeBetween(at - DAY_MS, at, timezone) + before - 1);
}

const offsetAt = (at: number, timezone: string) => shownAt(at, timezone) - at;

function shownAt(at: number, timezone: string): number {
  const ms = at % 1_000;
  const parts = formatOf(timezone).formatToParts(at - ms);
  const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.find(({ type }) => type === name)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) + ms;
}

/** The first instant at which clocks there go by another offset than at `from`; there is one until `to`. */
function changeBetween(from: number, to: number, timezone: string): number {
  const offset = offsetAt(from, timezone);
  let [before, behind] = [from, to];
  while (behind - before > 1) {
    const middle = Math.floor((before + behind) / 2);
    if (offsetAt(middle, timezone) === offset) before = middle;
    else behind = middle;
  }
  return behind;
}

/** @throws RangeError for a zone that nobody knows */
function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const digits = 'numeric';
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23', year: digits, month: digits, day: digits, hour: digits, minute: digits, second: digits,
  });
  if (formats.size >= MOST_ZONES) formats.clear();
  formats.set(timezone, made);
  return made;
}
