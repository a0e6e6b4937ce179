import type { FieldChange } from './update-log';

/** Bytes that an entry keeps of values, in JSON: it has to fit into one document of any store, sealed ones too. */
export const MAX_LOGGED_BYTES = 4 * 1024 ** 2;
/** Of a character, at most: an escape such as `\u0001`. */
const BYTES_PER_UNIT = 6;
/** Of a number, or what stands between values. */
const BYTES_BETWEEN = 32;

/** The changes; where their values are too much for one entry, the largest of them are left out, and each says so. Every path stays. */
export function keptChanges(changes: readonly FieldChange[]): readonly FieldChange[] {
  if (mostOf(changes) <= MAX_LOGGED_BYTES) return changes;
  const weighed = changes.map((change, place) => ({ place, bytes: jsonBytes(change._from) + jsonBytes(change._to) }));
  let room = MAX_LOGGED_BYTES;
  const isKept = new Set<number>();
  for (const { place, bytes } of weighed.sort((one, other) => one.bytes - other.bytes)) {
    room -= bytes;
    if (room >= 0) isKept.add(place);
  }
  return changes.map((change, place) => (isKept.has(place) ? change : { _path: change._path, _isCut: true }));
}

const jsonBytes = (value: unknown) => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));

/** Bytes that the JSON of values has at most; not looked at further than what an entry keeps. */
function mostOf(changes: readonly FieldChange[]): number {
  const waiting: unknown[] = changes.flatMap(({ _from, _to }) => [_from, _to]);
  let bytes = 0;
  while (waiting.length > 0 && bytes <= MAX_LOGGED_BYTES) {
    const value = waiting.pop();
    bytes += BYTES_BETWEEN;
    if (typeof value === 'string') bytes += value.length * BYTES_PER_UNIT;
    else if (value !== null && typeof value === 'object') for (const [name, inner] of Object.entries(value)) waiting.push(name, inner);
  }
  return bytes;
}
