import type { Row } from '../rows/row';
import { isObject } from '../storage/filters';
import type { RefusedRow } from './import';

/** Rows that one write takes. */
const BATCH_ROWS = 2_000;
/** Rows come in parts of about a megabyte; of larger ones a batch holds fewer. */
const BATCH_PARTS = 4;

export interface GoodRow {
  readonly line: number;
  readonly value: unknown;
}

/** Rows that stand behind each other, with those between them that could not be read. */
export interface RowBatch {
  readonly rows: readonly GoodRow[];
  readonly refused: readonly RefusedRow[];
  readonly lastLine: number;
}

export const countOf = ({ rows, refused }: RowBatch): number => rows.length + refused.length;

/** An `_id` stands once in a batch, so that the second row of it finds the first in the store, wherever batches end. */
export async function* batchesOf(parts: AsyncIterable<readonly Row[]>): AsyncGenerator<RowBatch, void> {
  let rows: Row[] = [];
  let held = 0;
  const ids = new Set<string>();
  const take = (): RowBatch => {
    const batch = toBatch(rows);
    [rows, held] = [[], 0];
    ids.clear();
    return batch;
  };
  for await (const part of parts) {
    held += 1;
    for (const row of part) {
      const id = idOf(row);
      if (rows.length === BATCH_ROWS || (id !== undefined && ids.has(id))) yield take();
      if (id !== undefined) ids.add(id);
      rows.push(row);
    }
    if (held >= BATCH_PARTS && rows.length > 0) yield take();
  }
  if (rows.length > 0) yield take();
}

function idOf(row: Row): string | undefined {
  const id = 'value' in row && isObject(row.value) ? row.value['_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

const toBatch = (rows: readonly Row[]): RowBatch => ({
  rows: rows.flatMap((row) => (row.fault === undefined ? row : [])),
  refused: rows.flatMap(({ line, fault }) => (fault === undefined ? [] : { _line: line, _reason: fault })),
  lastLine: (rows.at(-1) as Row).line,
});

/** One batch ahead of its reader: rows are parsed while the store writes those before. */
export async function* ahead<T>(batches: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    let next = batches.next();
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = batches.next();
      // It is waited for later, or never.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await batches.return().catch(() => undefined);
  }
}
