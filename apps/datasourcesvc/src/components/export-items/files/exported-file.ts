import { invalid } from '@twinyard/conventions';
import { type CsvRow, readCsvRows } from '@twinyard/csv';
import type { Bytes } from '../../made-files/made-once';
import { chosenColumns, type ColumnChoice, type ExportColumn } from '../export-columns';

/** What a file comes to, counted while it is made. */
export interface ExportFigures {
  rows: number;
  columns: number;
}

export interface ExportForm {
  readonly columns: ColumnChoice;
  readonly delimiter: string;
  /** A byte order mark, by which some spreadsheets know UTF-8. */
  readonly bom: boolean;
  readonly sheet: string;
}

/** How items as `itemsvc` gives them become a file; `asked` is the format that it is asked for. */
export interface FileFormat {
  readonly asked: 'ndjson' | 'csv';
  readonly extension: string;
  readonly contentType: string;
  make(items: Bytes, form: ExportForm, figures: ExportFigures): Bytes;
}

/** The columns, and then rows as many at a time as come. Of no items there is nothing but the columns that were asked for. */
export interface ExportedTable {
  readonly columns: readonly ExportColumn[];
  readonly rows: AsyncIterable<readonly (readonly string[])[]>;
  /** Ends what is read for it. */
  close(): Promise<unknown>;
}

/** Reads the CSV of `itemsvc`: cells as it has written them, in the columns that are asked for. */
export async function openTable(items: Bytes, choice: ColumnChoice, figures: ExportFigures): Promise<ExportedTable> {
  const parts = readCsvRows(items, { delimiter: ',' });
  try {
    const [header, ...first] = await firstOf(parts);
    const columns = chosenColumns(header === undefined ? [] : cellsOf(header), choice);
    figures.columns = columns.length;
    return { columns, rows: rowsOf(columns, first, parts, figures), close: () => parts.return() };
  } catch (error) {
    await parts.return();
    throw error;
  }
}

async function firstOf(parts: AsyncGenerator<readonly CsvRow[], void>): Promise<readonly CsvRow[]> {
  for (;;) {
    const { done, value } = await parts.next();
    if (done === true) return [];
    if (value.length > 0) return value;
  }
}

async function* rowsOf(columns: readonly ExportColumn[], first: readonly CsvRow[], parts: AsyncIterable<readonly CsvRow[]>, figures: ExportFigures): AsyncGenerator<readonly (readonly string[])[], void> {
  const chosen = (rows: readonly CsvRow[]) => {
    figures.rows += rows.length;
    return rows.map((row) => {
      const cells = cellsOf(row);
      return columns.map(({ index }) => (index === undefined ? '' : (cells[index] as string)));
    });
  };
  yield chosen(first);
  for await (const rows of parts) yield chosen(rows);
}

/** It is written by this platform: what cannot be read is longer than a reader of CSV takes. */
function cellsOf(row: CsvRow): readonly string[] {
  if (row.fault !== undefined) throw invalid(`The item in line ${row.line} is too large for a row of a table; export it as ndjson`);
  return row.cells;
}
