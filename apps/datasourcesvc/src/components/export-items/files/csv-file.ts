import type { Bytes } from '../../made-files/made-once';
import { csvLines } from '../../tables/csv-lines';
import { type ExportFigures, type ExportForm, type FileFormat, openTable } from './exported-file';

/**
 * Cells stay as `itemsvc` has written them, so nothing is lost on the way back: a text that a spreadsheet would take for a formula (it begins with = + - @, a
 * tab or a return) stands in quotes of JSON there.
 */
export const csvFile: FileFormat = { asked: 'csv', extension: 'csv', contentType: 'text/csv; charset=utf-8', make };

async function* make(items: Bytes, { columns: choice, delimiter, bom }: ExportForm, figures: ExportFigures): AsyncGenerator<Buffer> {
  const { columns, rows, close } = await openTable(items, choice, figures);
  try {
    if (bom) yield Buffer.from('\ufeff');
    if (columns.length > 0) yield csvLines([columns.map(({ name }) => name)], delimiter);
    for await (const some of rows) if (some.length > 0) yield csvLines(some, delimiter);
  } finally {
    await close();
  }
}
