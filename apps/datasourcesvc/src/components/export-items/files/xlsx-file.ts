import { invalid } from '@twinyard/conventions';
import { cellDecoder, decodeTextCell } from '@twinyard/csv';
import { type WrittenCell, writeXlsx, XlsxFault } from '@twinyard/xlsx';
import type { ExportColumn } from '../export-columns';
import type { Bytes } from '../../made-files/made-once';
import { type ExportFigures, type ExportForm, type FileFormat, openTable } from './exported-file';

export const xlsxFile: FileFormat = { asked: 'csv', extension: 'xlsx', contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', make };

/** Digits in these are no number. */
const TEXTS = new Set(['_id', '_guid', '_fileId', '_fileVersionId', '_fileRepositoryId', '_sourceId']);

const decode = cellDecoder({});

async function* make(items: Bytes, { columns: choice, sheet }: ExportForm, figures: ExportFigures): AsyncGenerator<Buffer> {
  const { columns, rows, close } = await openTable(items, choice, figures);
  const readers = columns.map(readerOf);
  try {
    yield* writeXlsx({ name: sheet, header: columns.map(({ name }) => name), rows: typed(rows, readers) });
  } catch (error) {
    throw error instanceof XlsxFault ? invalid(`${error.message}; export it as csv, or leave something out`) : error;
  } finally {
    await close();
  }
}

type Reader = (cell: string) => WrittenCell;

const readerOf = ({ path }: ExportColumn): Reader => (TEXTS.has(path) ? decodeTextCell : valueOf);

/** Lists and objects are the text that they have in CSV; a workbook has no cell for them. */
function valueOf(cell: string): WrittenCell {
  const value = decode(cell);
  if (value === undefined || value === null) return undefined;
  return typeof value === 'object' ? cell : (value as WrittenCell);
}

async function* typed(rows: AsyncIterable<readonly (readonly string[])[]>, readers: readonly Reader[]): AsyncGenerator<readonly (readonly WrittenCell[])[]> {
  for await (const some of rows) yield some.map((cells) => cells.map((cell, index) => (readers[index] as Reader)(cell)));
}
