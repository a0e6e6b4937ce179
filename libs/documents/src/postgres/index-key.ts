import { createHash } from 'node:crypto';
import type { IndexSpec } from '../document-store';

/** Of a page of 8 KB an entry has a third at most; what is left of it for the key of the version and for headers. */
const ENTRY_BYTES = 2_500;
/** Of each value, beside its bytes. */
const HEADER_BYTES = 20;
/** Of a digest, as `twinyard_index_key` writes it. */
const LEAST_BYTES = 64;

/** Bytes of a text that an index on so many paths holds whole. */
export const longestOf = ({ key }: IndexSpec): number => Math.max(LEAST_BYTES, Math.floor(ENTRY_BYTES / Object.keys(key).length) - HEADER_BYTES);

/** SQL of what the index holds of a value. The same text makes the index and asks it, or it would not be used. */
export const indexKey = (value: string, { options, key }: IndexSpec): string =>
  options.isShort === true ? `(${value})` : `twinyard_index_key(${value}, ${longestOf({ key, options })})`;

/** What such an index holds of a scalar that is looked for: `twinyard_index_key`, here. */
export function keyOfScalar(value: unknown, index: IndexSpec): unknown {
  if (typeof value !== 'string' || index.options.isShort === true || Buffer.byteLength(value) <= longestOf(index)) return value;
  return { text: createHash('sha256').update(value).digest('hex') };
}
