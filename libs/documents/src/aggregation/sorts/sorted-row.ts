import type { AnyObject } from 'mingo/types';

export interface SortedRow<T = AnyObject> {
  readonly row: T;
  /** What it is sorted by, the first before the others. */
  readonly values: readonly unknown[];
  /** About what it takes in memory. */
  readonly bytes: number;
}

/** Less than, equal to or more than 0. */
export type RowOrder = (one: SortedRow<unknown>, other: SortedRow<unknown>) => number;

/** In blocks of about so many bytes, one row at least. */
export function* blocksOf<T>(rows: readonly SortedRow<T>[], blockBytes: number): Generator<SortedRow<T>[], void> {
  let [block, bytes]: [SortedRow<T>[], number] = [[], 0];
  for (const row of rows) {
    block.push(row);
    bytes += row.bytes;
    if (bytes < blockBytes) continue;
    yield block;
    [block, bytes] = [[], 0];
  }
  if (block.length > 0) yield block;
}

export const bytesOfRows = (rows: readonly SortedRow<unknown>[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);
