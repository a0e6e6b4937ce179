import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import type { Cut } from './row-cutter';

/** The cells of a row, or what is wrong with it. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[]; readonly fault?: undefined } | { readonly line: number; readonly fault: string };

const TOO_LONG = 'is too long, or opens a quote that is not closed';
const REASONS: Readonly<Record<string, string>> = { CSV_QUOTE_NOT_CLOSED: 'opens a quote that is not closed' };
const NOT_QUOTED_RIGHT = 'has a quote where none may be';

/** Cells of rows by csv-parse, which could not go on behind a row with a broken quote. */
export function cellsOf(cuts: readonly Cut[], delimiter: string): CsvRow[] {
  const sound = cuts.filter((cut): cut is Required<Cut> => cut.bytes !== undefined && isUtf8(cut.bytes));
  if (sound.length < cuts.length) return cuts.flatMap((cut) => one(cut, delimiter));
  const cells = parsed(sound, delimiter);
  return cells === undefined ? cuts.flatMap((cut) => one(cut, delimiter)) : sound.map(({ line }, index) => ({ line, cells: cells[index] as string[] }));
}

function one({ line, bytes }: Cut, delimiter: string): CsvRow {
  if (bytes === undefined) return { line, fault: TOO_LONG };
  if (!isUtf8(bytes)) return { line, fault: `is not UTF-8 in column ${columnOf(bytes, delimiter)}; name the encoding of the file` };
  try {
    const [cells, ...more] = parse(bytes.toString(), { ...FORM, delimiter });
    return cells === undefined || more.length > 0 ? { line, fault: 'is no row' } : { line, cells };
  } catch (error) {
    if (error instanceof CsvError) return { line, fault: REASONS[error.code] ?? NOT_QUOTED_RIGHT };
    throw error;
  }
}

/** Of all at once; `undefined` where one of them is broken. */
function parsed(cuts: readonly Required<Cut>[], delimiter: string): string[][] | undefined {
  try {
    const rows = parse(cuts.map(({ bytes }) => bytes.toString()).join('\n'), { ...FORM, delimiter });
    return rows.length === cuts.length ? rows : undefined;
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

const FORM = { relax_column_count: true, record_delimiter: '\n' } as const;

/** The first cell, from 1, whose bytes are no UTF-8. */
function columnOf(bytes: Buffer, delimiter: string): number {
  const cells = bytes.toString('latin1').split(delimiter);
  return cells.findIndex((cell) => !isUtf8(Buffer.from(cell, 'latin1'))) + 1;
}
