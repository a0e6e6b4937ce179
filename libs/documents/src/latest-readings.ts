import { invalidField } from '@twinyard/conventions';
import type { Reading } from './reading-store';
import { parseTimestamp } from './timestamp';

/** The last of several readings of one item and instant counts, as if they had come one after the other. `_ts` becomes UTC. */
export function latestOfEach(readings: readonly Reading[]): Reading[] {
  const latest = new Map<string, Reading>();
  for (const [index, reading] of readings.entries()) {
    const date = parseTimestamp(reading._ts);
    if (!date) throw invalidField(`[${index}]._ts`, 'is no date (ISO 8601)');
    const at = date.toISOString();
    latest.set(`${at} ${reading._tsMetadata._telItemId}`, { ...reading, _ts: at });
  }
  return [...latest.values()];
}

/** Of several groups, unless two of them hold a reading of one item and instant: then one has to follow the other. */
export function distinctGroups(groups: readonly (readonly Reading[])[]): Reading[][] | undefined {
  const latest = groups.map((group) => latestOfEach(group));
  const keys = new Set(latest.flat().map(({ _ts, _tsMetadata }) => `${_ts} ${_tsMetadata._telItemId}`));
  return keys.size === latest.flat().length ? latest : undefined;
}
