import { invalid } from '@twinyard/conventions';
import { CsvError, parse } from 'csv-parse/sync';
import { CsvColumns } from './csv-columns';
import { Cutter, type Cut } from './cutter';
import { brokenness } from './json-text';
import { MAX_ROW_BYTES, type Row } from './row';

/** Where a cell holds a NUL, or JSON with what JSON may say and no store may hold. */
const SUSPICIOUS = /\0|\\u|__proto__|\d[eE]\+?\d{3}|\d{300}/;
/** A cell in quotes, in which line ends are text. */
const QUOTED = /"(?:[^"]|"")*"/g;
const TOO_LONG = `is longer than ${MAX_ROW_BYTES} bytes, or opens a quote that is not closed`;
const REASONS: Readonly<Record<string, string>> = { CSV_QUOTE_NOT_CLOSED: 'opens a quote that is not closed' };

/**
 * The rows of a CSV file (RFC 4180, with a header), as many at a time as a chunk holds; those up to the line `after` are passed over.
 * It is cut into rows here and into cells by csv-parse, which could not go on behind a row with a broken quote.
 */
export async function* readCsv(chunks: AsyncIterable<Buffer>, texts: ReadonlySet<string>, after = 0): AsyncGenerator<readonly Row[], void> {
  const cutter = new Cutter('csv');
  let columns: CsvColumns | undefined;
  const toRows = (cuts: readonly Cut[]): Row[] => {
    const [header, ...rest] = cuts;
    if (columns !== undefined || header === undefined) return columns ? parseRows(columns, cuts.filter(({ line }) => line > after)) : [];
    columns = parseColumns(header, texts);
    return parseRows(columns, rest.filter(({ line }) => line > after));
  };
  for await (const chunk of chunks) yield toRows(cutter.take(chunk));
  yield toRows(cutter.end());
}

function parseColumns(header: Cut, texts: ReadonlySet<string>): CsvColumns {
  // Else the whole file would be one row, its header, and an import of it would say that it has made all of its no rows.
  if (header.bytes?.toString().replace(QUOTED, '').includes('\r')) throw invalid('header: holds a carriage return alone; lines end with LF or CRLF');
  const cells = parseCells([header]);
  if (!Array.isArray(cells)) throw invalid(`header: ${cells.fault}`);
  return CsvColumns.parse(cells[0] as readonly string[], texts);
}

function parseRows(columns: CsvColumns, cuts: readonly Cut[]): Row[] {
  const cells = parseCells(cuts);
  if (Array.isArray(cells)) return cuts.map(({ line }, index) => toRow(columns, cells[index] as readonly string[], line));
  // One of them is broken: which is found out one by one.
  if (cuts.length > 1) return cuts.flatMap((cut) => parseRows(columns, [cut]));
  return cuts.map(({ line }) => ({ line, fault: cells.fault }));
}

/** The cells of each row, or why there are none. */
function parseCells(cuts: readonly Cut[]): string[][] | { readonly fault: string } {
  if (cuts.some(({ bytes }) => bytes === undefined)) return { fault: TOO_LONG };
  const text = cuts.map(({ bytes }) => (bytes as Buffer).toString()).join('\n');
  try {
    const rows = parse(text, { relax_column_count: true, record_delimiter: '\n' });
    return rows.length === cuts.length ? rows : { fault: 'is no row' };
  } catch (error) {
    if (error instanceof CsvError) return { fault: REASONS[error.code] ?? 'has a quote where none may be' };
    throw error;
  }
}

function toRow(columns: CsvColumns, cells: readonly string[], line: number): Row {
  const made = columns.toValue(cells);
  if ('value' in made && cells.some((cell) => SUSPICIOUS.test(cell))) {
    const fault = brokenness(made.value);
    if (fault !== undefined) return { line, fault };
  }
  return { line, ...made };
}
