import { findInexactNumber, invalid, invalidField } from '@twinyard/conventions';
import { cellDecoder, CsvFault, decodeTextCell, formatHeader, parseHeader, trimHeader } from '@twinyard/csv';
import type { CsvForm } from './csv-form';
import { inexactReason } from './json-text';

interface Column {
  readonly path: readonly string[];
  readonly header: string;
  readonly decode: (cell: string) => unknown;
}

/** What the first row of a CSV file says: which cell is which property. A column without a name may be there, and hold nothing. */
export class CsvColumns {
  private constructor(private readonly columns: readonly (Column | undefined)[]) {}

  /** `texts`: headers of properties that are always texts. */
  static parse(headers: readonly string[], texts: ReadonlySet<string>, form: CsvForm = {}): CsvColumns {
    const decodeCell = cellDecoder(form);
    const columns = headers.map((text): Column | undefined => {
      if (text.trim() === '') return undefined;
      const path = pathOf(text);
      const header = formatHeader(path);
      return { path, header, decode: texts.has(header) ? decodeTextCell : decodeCell };
    });
    if (columns.every((column) => column === undefined)) throw invalidField('header', 'names no column');
    const seen = new Set<string>();
    for (const { header } of columns.filter((column) => column !== undefined)) {
      if (seen.has(header)) throw invalidField('header', `${JSON.stringify(header)} stands twice`);
      seen.add(header);
    }
    return new CsvColumns(columns);
  }

  /** The object that the cells make, or what is wrong with them. */
  toValue(cells: readonly string[]): { readonly value: Record<string, unknown> } | { readonly fault: string } {
    if (cells.length !== this.columns.length) return { fault: `has ${cells.length} cells where the header has ${this.columns.length}` };
    const value: Record<string, unknown> = {};
    for (const [index, column] of this.columns.entries()) {
      const cell = cells[index] as string;
      if (column === undefined && cell.trim() !== '') return { fault: `has data in column ${index + 1}, which has no name` };
      const fault = column && take(value, column, cell);
      if (fault !== undefined) return { fault };
    }
    return { value };
  }
}

/** Puts what a cell holds where its column says, or says why it cannot be. */
function take(value: Record<string, unknown>, { path, header, decode }: Column, cell: string): string | undefined {
  const decoded = decode(cell);
  if (decoded === undefined) return undefined;
  // A cell that is a number, and would not be kept as it is, has been taken for a text.
  const inexact = typeof decoded === 'object' ? findInexactNumber(cell) : undefined;
  if (inexact !== undefined) return inexactReason(inexact, header);
  return put(value, path, decoded) ? undefined : `${header} stands in another column's value`;
}

function pathOf(text: string): readonly string[] {
  try {
    return parseHeader(trimHeader(text));
  } catch (error) {
    throw error instanceof CsvFault ? invalid(error.message) : error;
  }
}

/** False where the path leads through a value, or to an object that other columns have begun. */
function put(target: Record<string, unknown>, path: readonly string[], value: unknown): boolean {
  let at = target;
  for (const step of path.slice(0, -1)) {
    const inner = Object.hasOwn(at, step) ? at[step] : (at[step] = {});
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return false;
    at = inner as Record<string, unknown>;
  }
  const name = path.at(-1) as string;
  if (Object.hasOwn(at, name)) return false;
  at[name] = value;
  return true;
}
