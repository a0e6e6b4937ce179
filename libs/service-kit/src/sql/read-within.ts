import type { Slice } from '@twinyard/conventions';

/** Rows that are in memory together before they are weighed: so many at most … */
export const SHARE = 50;
/** … that come to so many bytes at most. One comes always: none is heavier than the body of a request. */
const SHARE_BYTES = 64 * 1024 ** 2;
/** PostgreSQL packs no value to less than one part in so many (LZ4; pglz comes to a third of that). */
const MOST_PACKED = 255;
/** The same as rows are kept. */
export const SHARE_PACKED_BYTES = Math.floor(SHARE_BYTES / MOST_PACKED);

/** SQL for the bytes that values of some columns take as they are kept, for which none is unpacked. */
export const packedBytes = (columns: readonly string[]): string => columns.map((column) => `coalesce(pg_column_size(${column}), 0)`).join(' + ');

/** Names a row that is yet to be read. */
export interface WeighedKey {
  /** See `packedBytes`, of all columns in which there may be much. */
  readonly packed: number;
}

/** The first rows of a page, as far as an answer goes; one comes always. */
export interface LightRows<R> {
  readonly rows: readonly R[];
  /** Whether rows were left out. */
  readonly isCut: boolean;
}

/**
 * Reads rows in shares until they weigh more than `most` bytes.
 *
 * @param keys of the rows of a page, in its order
 * @param read the rows with these keys, in their order; one that is gone is missing
 * @param begun rows of the page that have been read, those before `keys`
 */
export async function readWithin<K extends WeighedKey, R>(
  keys: readonly K[], most: number, read: (some: readonly K[]) => Promise<readonly R[]>, begun: readonly R[] = [],
): Promise<LightRows<R>> {
  const page = new LightPage<R>(most);
  page.add(begun);
  for (let from = 0; from < keys.length && !page.isCut;) {
    const to = endOfShare(keys, from);
    page.add(await read(keys.slice(from, to)));
    from = to;
  }
  return { rows: page.rows, isCut: page.isCut };
}

/**
 * A page of rows, each with what belongs to it, as far as an answer goes.
 *
 * @param packedOf what belongs to a row, as `packed` of a `WeighedKey`
 * @param join in the order of the rows
 */
export async function joinWithin<E, R>(
  { rows, total, isCut }: Slice<E>, most: number, packedOf: (row: E) => number | undefined, join: (some: readonly E[]) => Promise<readonly R[]>,
): Promise<Slice<R>> {
  const keys = rows.map((row) => ({ row, packed: packedOf(row) ?? 0 }));
  const joined = await readWithin(keys, most, (some) => join(some.map(({ row }) => row)));
  return { ...joined, isCut: isCut === true || joined.isCut, total };
}

/** A page of rows that are small, and were read together, as far as an answer goes. */
export function lightSlice<R>({ rows, total }: Slice<R>, most: number): Slice<R> {
  const page = new LightPage<R>(most);
  page.add(rows);
  return { rows: page.rows, total, isCut: page.isCut };
}

function endOfShare(keys: readonly WeighedKey[], from: number): number {
  let [to, packed] = [from, 0];
  while (to < keys.length && to - from < SHARE) {
    packed += keys[to]?.packed ?? 0;
    if (packed > SHARE_PACKED_BYTES && to > from) break;
    to += 1;
  }
  return to;
}

class LightPage<R> {
  readonly rows: R[] = [];
  isCut = false;
  private bytes = 0;

  constructor(private readonly most: number) {}

  /** As far as they go. */
  add(rows: readonly R[]): void {
    for (const row of rows) {
      this.bytes += weightOf(row);
      this.isCut = this.bytes > this.most && this.rows.length > 0;
      if (this.isCut) return;
      this.rows.push(row);
    }
  }
}

/** As JSON, which the answer is. */
const weightOf = (row: unknown) => Buffer.byteLength(JSON.stringify(row) ?? '');
