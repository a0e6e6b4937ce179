import type { TimeZone } from '../aggregation/dates/time-zone';
import { offsetsOf, TOLD_FROM, TOLD_UNTIL } from '../aggregation/dates/zone-offsets';

/** What clocks of the zone show, as a date that is that in UTC. */
export function clocks(instant: string, zone: TimeZone): object {
  const { offsets, changes } = offsetsOf(zone);
  return { $add: [instant, offsetAmong(instant, offsets, changes)] };
}

/** Halved until one is left: of a hundred changes seven are compared. */
function offsetAmong(instant: string, offsets: readonly number[], changes: readonly number[]): unknown {
  if (changes.length === 0) return offsets[0];
  const half = Math.floor(changes.length / 2);
  const [before, after] = [offsetAmong(instant, offsets.slice(0, half + 1), changes.slice(0, half)), offsetAmong(instant, offsets.slice(half + 1), changes.slice(half + 1))];
  return { $cond: [{ $lt: [instant, new Date(changes[half] as number)] }, before, after] };
}

/** Beyond what is known of the changes of clocks. */
export const isUntold = (instant: string): object[] => [{ $lt: [instant, new Date(TOLD_FROM)] }, { $gte: [instant, new Date(TOLD_UNTIL)] }];
