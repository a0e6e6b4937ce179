import type { TimeZone } from './time-zone';

const DAY = 86_400_000;
/** Shorter than the time between two changes of clocks. */
const STEP = 4 * DAY;
const QUARTER = 900_000;

/** The years that a store is told of: some fifty milliseconds a zone, once. Groups of instants beyond them are made in memory. */
export const TOLD_FROM = Date.UTC(2000, 0, 1);
export const TOLD_UNTIL = Date.UTC(2050, 0, 1);

/** The first offset holds until `changes[0]`, the next from there on, and so on: one more than there are changes. */
export interface ZoneOffsets {
  readonly offsets: readonly [number, ...number[]];
  readonly changes: readonly number[];
}

const known = new WeakMap<TimeZone, ZoneOffsets>();

/** What a store needs to compute with the clocks of a zone. Its own table of zones is another edition than ours, and not every server has one. */
export function offsetsOf(zone: TimeZone): ZoneOffsets {
  const found = known.get(zone) ?? searched(zone);
  known.set(zone, found);
  return found;
}

function searched(zone: TimeZone): ZoneOffsets {
  const offsets: [number, ...number[]] = [zone.offsetAt(TOLD_FROM)];
  const changes: number[] = [];
  for (let instant = TOLD_FROM; instant < TOLD_UNTIL; instant += STEP) {
    const next = zone.offsetAt(instant + STEP);
    if (next === offsets.at(-1)) continue;
    changes.push(changeIn(zone, instant, instant + STEP));
    offsets.push(next);
  }
  return { offsets, changes };
}

/** The first quarter of an hour that has another offset than the one before. */
function changeIn(zone: TimeZone, from: number, until: number): number {
  const before = zone.offsetAt(from);
  let [same, other] = [from, until];
  while (other - same > QUARTER) {
    const middle = same + Math.floor((other - same) / 2 / QUARTER) * QUARTER;
    if (zone.offsetAt(middle) === before) same = middle;
    else other = middle;
  }
  return other;
}
