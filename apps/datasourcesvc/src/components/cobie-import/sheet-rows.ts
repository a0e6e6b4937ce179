import { invalid } from '@twinyard/conventions';
import type { XlsxCell, XlsxRow, XlsxWorkbook } from '@twinyard/xlsx';
import type { CobieFaults } from './cobie-faults';

/** What a cell holds: dates as ISO 8601. */
export type CobieValue = string | number | boolean;

export interface SheetRow {
  readonly sheet: string;
  readonly line: number;
  /** By the names of the columns; what has no value is missing. */
  readonly values: ReadonlyMap<string, CobieValue>;
}

/** Of all sheets together: what is read of them is held. */
const MOST_ROWS = 300_000;
const MOST_CHARACTERS = 30_000_000;
/** COBie's own word for no value. */
const NOTHING = /^(n\/a)?$/i;

/** Reads sheets of a workbook, within one bound for all of them. */
export class SheetReader {
  private rows = 0;
  private characters = 0;

  constructor(private readonly workbook: XlsxWorkbook, private readonly faults: CobieFaults) {}

  /** The rows below the one that names the columns. @throws ServiceError `invalid` where a column is missing that must be there, and for more than is held */
  async *read(sheet: string, required: readonly string[]): AsyncGenerator<SheetRow, void> {
    let columns: readonly string[] | undefined;
    for await (const { rows } of this.workbook.rows(sheet)) {
      for (const row of rows) {
        if (columns === undefined) columns = columnsOf(sheet, row, required);
        else yield* this.rowOf(sheet, row, columns);
      }
    }
  }

  private *rowOf(sheet: string, { line, cells }: XlsxRow, columns: readonly string[]): Generator<SheetRow, void> {
    const values = new Map<string, CobieValue>();
    for (const [index, cell] of cells.entries()) {
      const column = columns[index];
      const value = column === undefined || column === '' ? undefined : this.valueOf(cell, { sheet, line, column });
      if (column !== undefined && value !== undefined) values.set(column, value);
    }
    if (values.size === 0) return;
    this.rows += 1;
    if (this.rows > MOST_ROWS || this.characters > MOST_CHARACTERS) throw invalid(`The workbook has more than the ${MOST_ROWS} rows or ${MOST_CHARACTERS} characters that are imported at most`);
    yield { sheet, line, values };
  }

  private valueOf(cell: XlsxCell | undefined, { sheet, line, column }: { readonly sheet: string; readonly line: number; readonly column: string }): CobieValue | undefined {
    if (cell === undefined || cell.kind === 'empty') return undefined;
    if (cell.kind === 'uncalculated' || (cell.kind === 'error' && cell.value !== '#N/A')) {
      this.faults.add('valueless', sheet, line, { column });
      return undefined;
    }
    if (cell.kind === 'number' || cell.kind === 'boolean') return cell.value;
    const text = cell.kind === 'error' ? '' : cell.value.trim();
    this.characters += text.length;
    return NOTHING.test(text) ? undefined : text;
  }
}

/** In the order of the cells, '' where a column has none. Names are told apart without regard to case: programs write `Extidentifier`, too. */
function columnsOf(sheet: string, { cells }: XlsxRow, required: readonly string[]): readonly string[] {
  // Where nothing is, the list has gaps.
  const names = Array.from(cells, (cell) => (cell !== undefined && 'value' in cell ? String(cell.value).trim() : ''));
  const found = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    if (name === '') continue;
    if (found.has(name.toLowerCase())) throw invalid(`The sheet ${sheet} has two columns ${JSON.stringify(name)}`);
    found.set(name.toLowerCase(), index);
  }
  const columns = names.map((name) => KNOWN.get(name.toLowerCase()) ?? name);
  for (const column of required) if (!columns.includes(column)) throw invalid(`The sheet ${sheet} has no column ${JSON.stringify(column)}`);
  return columns;
}

/** The columns that this import itself looks at, by their names in lower case. */
const KNOWN = new Map([
  'Name', 'Email', 'Category', 'FloorName', 'SpaceNames', 'Space', 'TypeName', 'ComponentNames', 'Manufacturer', 'WarrantyGuarantorParts', 'WarrantyGuarantorLabor',
  'SheetName', 'RowName', 'Value', 'Unit', 'ExtIdentifier', 'ExternalIdentifier', 'ExternalFacilityIdentifier',
].map((name) => [name.toLowerCase(), name]));
