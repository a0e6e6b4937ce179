import { invalid } from '@twinyard/conventions';
import type { Reading } from './reading-store';
import { parseTimestamp } from './timestamp';

/** The last of several readings of one item and instant counts, as if they had come one after the other. `_ts` becomes UTC. */
export function latestOfEach(readings: readonly Reading[]): Reading[] {
  const latest = new Map<string, Reading>();
  for (const [index, reading] of readings.entries()) {
    const date = parseTimestamp(reading._ts);
    if (!date) throw invalid(`[${index}]._ts: is no date (ISO 8601)`);
    const at = date.toISOString();
    latest.set(`${at} ${reading._tsMetadata._telItemId}`, { ...reading, _ts: at });
  }
  return [...latest.values()];
}
