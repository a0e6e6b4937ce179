import { invalid, invalidField } from '@twinyard/conventions';
import { CsvFault, type CsvRow, readCsvRows } from '@twinyard/csv';
import { CsvColumns } from './csv-columns';
import type { CsvForm } from './csv-form';
import { brokenness } from './json-text';
import type { Row } from './row';
import type { TextColumns } from './text-columns';

/** Where a cell holds a NUL, or JSON with what JSON may say and no store may hold. */
const SUSPICIOUS = /\0|\\u|__proto__/;

export interface CsvReading {
  /** What the sender says of the file. */
  readonly form?: CsvForm;
  /** Rows up to this line are passed over. */
  readonly after?: number;
}

/** The rows of a CSV file (RFC 4180, with a header), as many at a time as a chunk holds. */
export async function* readCsv(chunks: AsyncIterable<Buffer>, texts: TextColumns, { form = {}, after = 0 }: CsvReading = {}): AsyncGenerator<readonly Row[], void> {
  let columns: CsvColumns | undefined;
  try {
    for await (const rows of readCsvRows(chunks, form)) {
      const [header, ...rest] = rows;
      if (header === undefined) continue;
      const body = columns === undefined ? rest : rows;
      const known = (columns ??= parseColumns(header, texts, form));
      yield body.filter(({ line }) => line > after).map((row) => toRow(known, row));
    }
  } catch (error) {
    throw error instanceof CsvFault ? invalid(error.message) : error;
  }
}

function parseColumns(header: CsvRow, texts: TextColumns, form: CsvForm): CsvColumns {
  if (header.fault !== undefined) throw invalidField('header', header.fault);
  return CsvColumns.parse(header.cells, texts, form);
}

function toRow(columns: CsvColumns, row: CsvRow): Row {
  if (row.fault !== undefined) return row;
  const { line, cells } = row;
  const made = columns.toValue(cells);
  if ('value' in made && cells.some((cell) => SUSPICIOUS.test(cell))) {
    const broken = brokenness(made.value);
    if (broken !== undefined) return { line, fault: broken };
  }
  return { line, ...made };
}
