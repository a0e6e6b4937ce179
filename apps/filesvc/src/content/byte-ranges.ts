import type { ByteRange } from '@twinyard/blobs';

/** `Range` of RFC 9110, 14: ranges of bytes in the order of the request, `unsatisfiable`, or nothing, when all of it is to be sent. */
export type RangeRequest = readonly ByteRange[] | 'unsatisfiable' | undefined;

/** "many small ranges … are indications of either a broken client or a deliberate denial-of-service attack" (14.2): more than these are ignored. */
export const MAX_RANGES = 100;

const RANGE_SPEC = /^(\d*)-(\d*)$/;

/**
 * "A server MAY ignore the Range header field": other units and what is malformed get the whole. Of several ranges those that lie
 * outside are left out; those that overlap or meet become one, so that no answer holds more than the content.
 */
export function parseRanges(header: string | undefined, size: number): RangeRequest {
  const set = /^\s*bytes\s*=(.*)$/i.exec(header ?? '')?.[1];
  // "Empty elements do not contribute to the count of elements present" (5.6.1.2)
  const specs = set?.split(',').map((spec) => spec.trim()).filter((spec) => spec !== '') ?? [];
  if (specs.length === 0 || specs.length > MAX_RANGES) return undefined;
  const ranges = specs.map((spec) => parseSpec(spec, size));
  if (ranges.includes('invalid')) return undefined;
  const satisfiable = ranges.filter((range) => typeof range === 'object');
  return satisfiable.length === 0 ? 'unsatisfiable' : coalesce(satisfiable);
}

function parseSpec(spec: string, size: number): ByteRange | 'unsatisfiable' | 'invalid' {
  const [, from = '', to = ''] = RANGE_SPEC.exec(spec) ?? [];
  if (from === '' && to === '') return 'invalid';
  if (from === '') return lastBytes(Number(to), size);
  return within(Number(from), to === '' ? Infinity : Number(to), size);
}

function within(first: number, last: number, size: number): ByteRange | 'unsatisfiable' | 'invalid' {
  // "An int-range is invalid if the last-pos value is present and less than first-pos" (14.1.1)
  if (last < first) return 'invalid';
  if (first >= size) return 'unsatisfiable';
  return { first, last: Math.min(last, size - 1) };
}

/** "suffix-range": the last bytes, or all of them when there are fewer (14.1.2). */
function lastBytes(count: number, size: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || size === 0) return 'unsatisfiable';
  return { first: Math.max(0, size - count), last: size - 1 };
}

/** "SHOULD send the parts in the same order that the corresponding range-spec appeared" (15.3.7.2): one that was joined stands where the first of it stood. */
function coalesce(ranges: readonly ByteRange[]): ByteRange[] {
  const joined: { first: number; last: number; place: number }[] = [];
  const ascending = ranges.map((range, place) => ({ ...range, place })).sort((one, other) => one.first - other.first);
  for (const range of ascending) {
    const before = joined.at(-1);
    if (before === undefined || range.first > before.last + 1) joined.push(range);
    else Object.assign(before, { last: Math.max(before.last, range.last), place: Math.min(before.place, range.place) });
  }
  return joined.sort((one, other) => one.place - other.place).map(({ first, last }) => ({ first, last }));
}
