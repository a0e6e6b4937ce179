/** What is compared with the conditions of a request. */
export interface Representation {
  /** With its quotes; strong. */
  readonly etag: string;
  readonly lastModified: Date;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** RFC 9110, 13.2.2: the order in which conditions are looked at. */
export function evaluatePreconditions(headers: Headers, current: Representation): 'go on' | 'not modified' | 'failed' {
  const ifMatch = text(headers['if-match']);
  const unmodifiedSince = date(headers['if-unmodified-since']);
  if (ifMatch !== undefined ? !names(ifMatch, current.etag, 'strong') : isNewer(current, unmodifiedSince)) return 'failed';
  const ifNoneMatch = text(headers['if-none-match']);
  if (ifNoneMatch !== undefined) return names(ifNoneMatch, current.etag, 'weak') ? 'not modified' : 'go on';
  const modifiedSince = date(headers['if-modified-since']);
  return modifiedSince !== undefined && !isNewer(current, modifiedSince) ? 'not modified' : 'go on';
}

/** Whether a `Range` still means this representation (RFC 9110, 13.1.5): `If-Range` holds a strong tag or the exact date. */
export function rangeHolds(headers: Headers, current: Representation): boolean {
  const ifRange = text(headers['if-range']);
  if (ifRange === undefined) return true;
  if (ifRange.includes('"')) return ifRange.trim() === current.etag;
  return date(ifRange) === seconds(current.lastModified);
}

function names(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  const tags = list.split(',').map((tag) => tag.trim());
  return tags.includes(etag) || (comparison === 'weak' && tags.includes(`W/${etag}`));
}

const text = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value);
const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);

function date(value: string | string[] | undefined): number | undefined {
  const at = Date.parse(text(value) ?? '');
  return Number.isNaN(at) ? undefined : Math.floor(at / 1_000);
}

const isNewer = (current: Representation, since: number | undefined) => since !== undefined && seconds(current.lastModified) > since;
