import { invalid } from '@twinyard/conventions';

const MINUTE = 60_000;
/** Clocks are changed at quarters of an hour. */
const QUARTER = 15 * MINUTE;
/** Longer than a change of clocks, and shorter than the time between two of them. */
const DAY = 86_400_000;
const KEPT_OFFSETS = 20_000;
const KEPT_ZONES = 20;

const FIXED = /^([+-])(\d{2})(?::?(\d{2}))?$/;
const LONG_OFFSET = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/;

/** A zone by its name in the Olson database (`Europe/Berlin`), or by its distance from UTC (`+05:45`). */
export class TimeZone {
  private static readonly known = new Map<string, TimeZone>();
  private readonly offsets = new Map<number, number>();

  private constructor(private readonly offsetOf: (instant: number) => number, readonly isUtc: boolean) {}

  /** `undefined` is UTC. */
  static of(name: unknown): TimeZone {
    const key = name ?? 'UTC';
    if (typeof key !== 'string') throw invalid('A timezone is a text');
    const zone = this.known.get(key) ?? new TimeZone(...offsetsOf(key));
    if (this.known.size >= KEPT_ZONES) this.known.clear();
    this.known.set(key, zone);
    return zone;
  }

  /** Milliseconds by which clocks there are ahead of UTC. */
  offsetAt(instant: number): number {
    const quarter = Math.floor(instant / QUARTER);
    const known = this.offsets.get(quarter);
    if (known !== undefined) return known;
    if (this.offsets.size >= KEPT_OFFSETS) this.offsets.clear();
    const offset = this.offsetOf(quarter * QUARTER);
    this.offsets.set(quarter, offset);
    return offset;
  }

  /** What clocks there show, as if it were UTC. */
  localOf(instant: number): number {
    return instant + this.offsetAt(instant);
  }

  /** The first instant at which clocks there show this; what they leave out is as far behind the gap as it lies in it. */
  instantOf(local: number): number {
    const [before, after] = [local - this.offsetAt(local - DAY), local - this.offsetAt(local + DAY)];
    const shown = [before, after].filter((instant) => this.localOf(instant) === local);
    return shown.length === 0 ? before : Math.min(...shown);
  }
}

function offsetsOf(name: string): [offsetOf: (instant: number) => number, isUtc: boolean] {
  const [, sign, hours, minutes = '0'] = FIXED.exec(name) ?? [];
  if (hours !== undefined) {
    const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
    return [() => offset, offset === 0];
  }
  if (['UTC', 'GMT', 'Z'].includes(name)) return [() => 0, true];
  const clock = clockOf(name);
  return [(instant) => parseOffset(clock.format(instant)), false];
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw Object.assign(invalid(`There is no timezone ${JSON.stringify(timeZone.slice(0, 50))}`), { cause });
  }
}

/** No offset is said of UTC. */
function parseOffset(text: string): number {
  const [, sign, hours, minutes, seconds = '0'] = LONG_OFFSET.exec(text) ?? [];
  if (hours === undefined) return 0;
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}
