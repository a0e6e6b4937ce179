import { type CsvRow, cellsOf } from './csv-cells';
import { CsvCutter, type CsvDialect, MAX_ROW_BYTES } from './csv-cutter';
import type { Cut } from './row-cutter';

/**
 * The rows of a CSV file as many at a time as a chunk holds, the header among them as the first; a row that cannot be read, or is longer than `maxRowBytes`, is told in its place.
 * @throws CsvFault
 */
export async function* readCsvRows(bytes: AsyncIterable<Uint8Array>, dialect: CsvDialect = {}, maxRowBytes = MAX_ROW_BYTES): AsyncGenerator<readonly CsvRow[], void> {
  const cutter = new CsvCutter(dialect, maxRowBytes);
  // The beginning, of which it is not known yet how to read it.
  let held: Cut[] = [];
  const rowsOf = (cuts: readonly Cut[]): CsvRow[] => {
    const all = [...held, ...cuts];
    held = cutter.delimiter === undefined ? all : [];
    return cutter.delimiter === undefined ? [] : cellsOf(all, cutter.delimiter);
  };
  for await (const part of bytes) yield rowsOf(cutter.take(Buffer.from(part.buffer, part.byteOffset, part.byteLength)));
  yield rowsOf(cutter.end());
}
