import { setImmediate as turn } from 'node:timers/promises';
import { invalidField, tooLarge } from '@twinyard/conventions';
import { encodeCell, encodeTextCell, isDelimiter } from '@twinyard/csv';
import type { TextForm } from '@twinyard/scripts';
import { type WrittenCell, writeXlsx } from '@twinyard/xlsx';
import { toInvalid } from '../../file-columns/workbooks';
import { csvLines, harmlessHeader } from '../../tables/csv-lines';
import type { CellSlice, WrittenRows } from './written-rows';

/** Rows as the script gives them. */
export interface GivenRows {
  readonly rows: AsyncIterable<readonly unknown[]>;
  /** Nobody wants the file any more. */
  readonly signal?: AbortSignal;
}

/** `bom`: a byte order mark first. */
export type CsvForm = Pick<TextForm, 'delimiter' | 'textColumns'> & { readonly bom: boolean };

/** Cells stand in CSV as exports write them: what would be read as something else, or as a formula, is a text in quotes of JSON. */
export async function* csvBytes(table: WrittenRows, given: GivenRows, { delimiter, textColumns, bom }: CsvForm): AsyncGenerator<Uint8Array> {
  const { header } = table;
  const texts = new Set(textColumns.map((name) => placeOf(name, header)));
  const textOf = (cell: unknown, index: number) => (texts.has(index) ? encodeTextCell(cell ?? undefined) : encodeCell(cell ?? undefined));
  if (bom) yield Buffer.from('\ufeff');
  if (header !== undefined && header.length > 0) yield csvLines([header.map(harmlessHeader)], delimiter);
  for await (const slice of slicesOf(table, given)) yield csvLines(slice.map((cells) => cells.map(textOf)), delimiter);
}

/** Cells have their types; what no cell of a workbook can be is the text that it has in CSV. */
export async function* xlsxBytes(table: WrittenRows, given: GivenRows, sheet: string): AsyncGenerator<Uint8Array> {
  try {
    yield* writeXlsx({ name: sheet, header: table.header, rows: typed(slicesOf(table, given)) });
  } catch (error) {
    throw toInvalid(error);
  }
}

/** @throws ServiceError `too_large` for more */
export async function* atMost(bytes: AsyncIterable<Uint8Array>, most: number, what: string): AsyncGenerator<Uint8Array> {
  let left = most;
  for await (const chunk of bytes) {
    left -= chunk.byteLength;
    if (left < 0) throw tooLarge(`${what} has more than ${Math.floor(most / 1_048_576)} MB`);
    yield chunk;
  }
}

export function requireDelimiter(delimiter: string): void {
  if (!isDelimiter(delimiter)) throw invalidField('delimiter', 'must be one character of ASCII, and no quote');
}

function placeOf(name: string, header: readonly string[] | undefined): number {
  const place = header?.indexOf(name) ?? -1;
  if (place < 0) throw invalidField('textColumns', `There is no column ${JSON.stringify(name.slice(0, 100))}`);
  return place;
}

async function* slicesOf(table: WrittenRows, { rows, signal }: GivenRows): AsyncGenerator<CellSlice> {
  for await (const some of rows) {
    for (const slice of table.slices(some)) {
      signal?.throwIfAborted();
      yield slice;
      await turn();
    }
  }
}

async function* typed(slices: AsyncIterable<CellSlice>): AsyncGenerator<readonly (readonly WrittenCell[])[]> {
  for await (const slice of slices) yield slice.map((cells) => cells.map(typedCell));
}

const typedCell = (cell: unknown): WrittenCell => (cell !== null && typeof cell === 'object' ? encodeCell(cell) : (cell as WrittenCell));
