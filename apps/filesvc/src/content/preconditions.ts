import { parseHttpDate } from './http-date';

/** What is compared with the conditions of a request. */
export interface Validators {
  /** With its quotes; strong. */
  readonly etag: string;
  readonly lastModified: Date;
  /** Whether no other bytes were ever sent under this date (RFC 9110, 8.8.2.2). */
  readonly isDateStrong: boolean;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** RFC 9110, 13.2.2: the order in which conditions are looked at. */
export function evaluatePreconditions(headers: Headers, current: Validators): 'go on' | 'not modified' | 'failed' {
  const ifMatch = textOf(headers['if-match']);
  const unmodifiedSince = dateOf(headers['if-unmodified-since']);
  if (ifMatch !== undefined ? !names(ifMatch, current.etag, 'strong') : isNewer(current, unmodifiedSince)) return 'failed';
  const ifNoneMatch = textOf(headers['if-none-match']);
  if (ifNoneMatch !== undefined) return names(ifNoneMatch, current.etag, 'weak') ? 'not modified' : 'go on';
  const modifiedSince = dateOf(headers['if-modified-since']);
  return modifiedSince !== undefined && !isNewer(current, modifiedSince) ? 'not modified' : 'go on';
}

/** Whether a `Range` still means this representation (RFC 9110, 13.1.5): `If-Range` holds a strong tag or the exact date, if that is strong. */
export function rangeHolds(headers: Headers, current: Validators): boolean {
  const ifRange = textOf(headers['if-range']);
  if (ifRange === undefined) return true;
  if (ifRange.includes('"')) return ifRange.trim() === current.etag;
  return current.isDateStrong && dateOf(ifRange) === seconds(current.lastModified);
}

/** `*`, or a list of entity tags; what stands between quotes may hold a comma. */
const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

function names(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  const tags: readonly string[] = list.match(ENTITY_TAG) ?? [];
  return tags.includes(etag) || (comparison === 'weak' && tags.includes(`W/${etag}`));
}

/** A header that comes several times is one list (RFC 9110, 5.3). */
export const textOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value);
const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);
const dateOf = (value: string | string[] | undefined) => parseHttpDate(textOf(value)?.trim());
const isNewer = (current: Validators, since: number | undefined) => since !== undefined && seconds(current.lastModified) > since;
