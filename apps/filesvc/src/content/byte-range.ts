import type { ByteRange } from '@twinyard/blobs';

/** `Range` of RFC 9110, 14: one range of bytes, `unsatisfiable`, or nothing, when all of it is to be sent. */
export type RangeRequest = ByteRange | 'unsatisfiable' | undefined;

/** "A server MAY ignore the Range header field": several ranges, other units and what is malformed get the whole. */
export function parseRange(header: string | undefined, size: number): RangeRequest {
  const match = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return lastBytes(Number(to), size);
  return within(Number(from), to === '' ? Infinity : Number(to), size);
}

function within(first: number, last: number, size: number): RangeRequest {
  // "An int-range is invalid if the last-pos value is present and less than first-pos" (14.1.1)
  if (last < first) return undefined;
  if (first >= size) return 'unsatisfiable';
  return { first, last: Math.min(last, size - 1) };
}

/** "suffix-range": the last bytes, or all of them when there are fewer (14.1.2). */
function lastBytes(count: number, size: number): RangeRequest {
  if (count === 0 || size === 0) return 'unsatisfiable';
  return { first: Math.max(0, size - count), last: size - 1 };
}
