import { invalid } from '@twinyard/conventions';
import { decodeCell, decodeTextCell } from './csv-cell';
import { formatHeader, parseHeader } from './csv-header';

interface Column {
  readonly path: readonly string[];
  readonly header: string;
  readonly isText: boolean;
}

/** What the first row of a CSV file says: which cell is which property. */
export class CsvColumns {
  private constructor(private readonly columns: readonly Column[]) {}

  /** `texts`: headers of properties that are always texts. */
  static parse(headers: readonly string[], texts: ReadonlySet<string>): CsvColumns {
    const columns = headers.map((text): Column => {
      const path = parseHeader(text);
      const header = formatHeader(path);
      return { path, header, isText: texts.has(header) };
    });
    const seen = new Set<string>();
    for (const { header } of columns) {
      if (seen.has(header)) throw invalid(`header: ${JSON.stringify(header)} stands twice`);
      seen.add(header);
    }
    return new CsvColumns(columns);
  }

  /** The object that the cells make, or what is wrong with them. */
  toValue(cells: readonly string[]): { readonly value: Record<string, unknown> } | { readonly fault: string } {
    if (cells.length !== this.columns.length) return { fault: `has ${cells.length} cells where the header has ${this.columns.length}` };
    const value: Record<string, unknown> = {};
    for (const [index, { path, header, isText }] of this.columns.entries()) {
      const cell = cells[index] as string;
      const decoded = isText ? decodeTextCell(cell) : decodeCell(cell);
      if (decoded !== undefined && !put(value, path, decoded)) return { fault: `${header} stands in another column's value` };
    }
    return { value };
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
