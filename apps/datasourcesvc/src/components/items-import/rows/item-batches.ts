import type { ItemRow } from './item-rows';

export interface BatchRow {
  readonly line: number;
  /** Of the item. */
  readonly json: string;
}

/** Rows that are written together. */
export interface ItemBatch {
  readonly rows: readonly BatchRow[];
  /** All rows up to this line are in it, or in those before. */
  readonly lastLine: number;
}

/** Up to 1,000 items are answered at once, and a body has at most 10 MB (contract 2.3). */
const MAX_ROWS = 1_000;
const MAX_BYTES = 4_000_000;

/** The items behind a line, in the order of the file and cut in the same places each time. A key stands once in a batch, so that its last row is written last. */
export async function* batchesOf(parts: AsyncIterable<Iterable<ItemRow>>, after: number): AsyncGenerator<ItemBatch, void> {
  let rows: BatchRow[] = [];
  let [bytes, lastLine] = [0, after];
  const keys = new Set<string>();
  const take = (): ItemBatch => {
    const batch = { rows, lastLine };
    [rows, bytes] = [[], 0];
    keys.clear();
    return batch;
  };
  for await (const part of parts) {
    for (const row of part) {
      if (row.refused !== undefined || row.line <= after) continue;
      const json = JSON.stringify(row.item);
      const size = Buffer.byteLength(json) + 1;
      if (rows.length > 0 && (rows.length === MAX_ROWS || bytes + size > MAX_BYTES || keys.has(row.key))) yield take();
      rows.push({ line: row.line, json });
      keys.add(row.key);
      [bytes, lastLine] = [bytes + size, row.line];
    }
  }
  if (rows.length > 0) yield take();
}
