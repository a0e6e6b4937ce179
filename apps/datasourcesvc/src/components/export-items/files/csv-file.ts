import { stringify } from 'csv-stringify/sync';
import type { Bytes } from '../../made-files/made-once';
import { type ExportFigures, type ExportForm, type FileFormat, openTable } from './exported-file';

/**
 * Cells stay as `itemsvc` has written them, so nothing is lost on the way back: a text that a spreadsheet would take for a formula (it begins with = + - @, a
 * tab or a return) stands in quotes of JSON there.
 */
export const csvFile: FileFormat = { asked: 'csv', extension: 'csv', contentType: 'text/csv; charset=utf-8', make };

async function* make(items: Bytes, { columns: choice, delimiter, bom }: ExportForm, figures: ExportFigures): AsyncGenerator<Buffer> {
  const { columns, rows, close } = await openTable(items, choice, figures);
  const lines = (some: readonly (readonly string[])[]) => Buffer.from(stringify(some as string[][], { delimiter, record_delimiter: '\n', quoted_match: /[\r\n]|^\s|\s$/ }));
  try {
    if (bom) yield Buffer.from('\ufeff');
    if (columns.length > 0) yield lines([columns.map(({ name }) => name)]);
    for await (const some of rows) if (some.length > 0) yield lines(some);
  } finally {
    await close();
  }
}
