import { parseJsonParameter, type QueryValues } from './query-params';

/** The page envelope (specification 1, platform conventions). */
export interface Page<T> {
  readonly _offset: number;
  readonly _pageSize: number;
  readonly _total: number;
  readonly _list: readonly T[];
  readonly _includeTotal?: boolean;
}

export interface Paging {
  readonly offset: number;
  readonly pageSize: number;
}

/** What a repository answers a list with: the rows of one page and how many there are in all. */
export interface Slice<T> {
  readonly rows: readonly T[];
  readonly total: number;
  /** Fewer than were asked for, since more would weigh more than an answer may (contract 0.1). */
  readonly isCut?: boolean;
  /** Of a page that is cut, how many of its entries lie before the first that is left out, where that is not the number of its rows: some of them were not wanted. */
  readonly passed?: number;
}

export interface PageBounds {
  readonly defaultSize: number;
  readonly maxSize: number;
}

/** What an answer weighs at most where no setting says otherwise (contract 0.1). */
export const ANSWER_BYTES = 64 * 1024 ** 2;

/** Contract 0.1: default 25, maximum 1,000; a service that differs passes its own. */
export const DEFAULT_PAGE_BOUNDS: PageBounds = { defaultSize: 25, maxSize: 1_000 };

export function toPage<S, T>(slice: Slice<S>, paging: Paging, map: (row: S) => T): Page<T> {
  return { _offset: paging.offset, _pageSize: pageSizeOf(slice, paging), _total: slice.total, _list: slice.rows.map(map) };
}

/** What a page says of its size: whoever adds it to the offset goes on behind what came, and misses nothing. */
export const pageSizeOf = ({ rows, isCut, passed }: Omit<Slice<unknown>, 'total'>, { pageSize }: Pick<Paging, 'pageSize'>): number => (
  isCut === true ? (passed ?? rows.length) : pageSize
);

/** A page that holds all of what a bulk write made. */
export function toWholePage<T>(list: readonly T[]): Page<T> {
  return { _offset: 0, _pageSize: list.length, _total: list.length, _list: list };
}

/**
 * Reads `_offset`/`_pageSize` as plain parameters or inside `page={…}`. Wrong keys or values: the defaults. Above the
 * maximum the maximum is used. Zero is kept: it asks for the total alone. `page` that is no JSON: 400.
 */
export function parsePaging(query: QueryValues, bounds: PageBounds = DEFAULT_PAGE_BOUNDS): Paging {
  const page = parseJsonParameter(query, 'page');
  const inside = page !== null && typeof page === 'object' ? (page as Record<string, unknown>) : {};
  const offset = toCount(inside['_offset']) ?? toCount(query['_offset']) ?? 0;
  const pageSize = toCount(inside['_pageSize']) ?? toCount(query['_pageSize']) ?? bounds.defaultSize;
  return { offset, pageSize: Math.min(pageSize, bounds.maxSize) };
}

function toCount(value: unknown): number | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (first === undefined || first === null || first === '') return undefined;
  const number = Number(first);
  // Clients of other languages send the greatest number that they have for "all".
  return Number.isInteger(number) && number >= 0 ? Math.min(number, Number.MAX_SAFE_INTEGER) : undefined;
}
