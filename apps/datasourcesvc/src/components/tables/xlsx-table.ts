import { invalid } from '@twinyard/conventions';
import { trimHeader } from '@twinyard/csv';
import { type XlsxCell, type XlsxRow, XlsxWorkbook } from '@twinyard/xlsx';
import { type ItemValue, MISSING } from '../file-columns/cell-values';
import { asInvalid, toInvalid } from '../file-columns/workbooks';
import type { Table, TableForm, TableRows } from './table';

/** Cells have their types in the file: a text of digits is a text. */
export function xlsxForm(missing: ReadonlySet<string>): TableForm<XlsxCell> {
  const textOf = (cell: XlsxCell | undefined): ItemValue => {
    const value = shownIn(cell);
    return missing.has(value.trim()) ? MISSING : { kind: 'text', value };
  };
  const valueOf = (cell: XlsxCell | undefined): ItemValue => {
    if (cell === undefined || cell.kind === 'empty') return MISSING;
    switch (cell.kind) {
      case 'text':
      case 'date':
        return textOf(cell);
      case 'boolean':
        return { kind: 'other', value: cell.value };
      case 'error':
        return missing.has(cell.value) ? MISSING : cell;
      default:
        return cell;
    }
  };
  const keyOf = (cell: XlsxCell | undefined) => {
    const value = textOf(cell);
    return value.kind === 'text' ? value.value.trim() : '';
  };
  return { place: 'row', isRectangular: false, nameOf: (cell) => trimHeader(shownIn(cell)), keyOf, valueOf, textOf };
}

/** As a text; '' where there is none. */
function shownIn(cell: XlsxCell | undefined): string {
  if (cell === undefined || cell.kind === 'error' || !('value' in cell)) return '';
  return String(cell.value);
}

export interface SheetChoice {
  readonly sheet: string | undefined;
  /** The row that names the columns; else the first that holds something. */
  readonly headerRow: number | undefined;
}

export class XlsxTable implements Table<XlsxCell> {
  readonly form: TableForm<XlsxCell>;
  private merged = 0;

  private constructor(private readonly workbook: XlsxWorkbook, private readonly choice: SheetChoice, missing: ReadonlySet<string>) {
    this.form = xlsxForm(missing);
  }

  static async open(bytes: Uint8Array, choice: SheetChoice, missing: ReadonlySet<string>): Promise<XlsxTable> {
    return new XlsxTable(await asInvalid(() => XlsxWorkbook.open(bytes)), choice, missing);
  }

  through<T>(read: (rows: TableRows<XlsxCell>) => Promise<T>): Promise<T> {
    return read(this.rows());
  }

  remarks(): readonly string[] {
    return this.merged > 0 ? [`The sheet has ${this.merged} ranges of merged cells: of each its first cell alone has a value`] : [];
  }

  /** From the row on that names the columns. */
  async *rows(): TableRows<XlsxCell> {
    try {
      yield* this.sheetRows();
    } catch (error) {
      throw toInvalid(error);
    }
  }

  private async *sheetRows(): TableRows<XlsxCell> {
    const { sheet, headerRow = 1 } = this.choice;
    let isFirst = true;
    for await (const { rows, merged } of this.workbook.rows(sheet)) {
      this.merged = merged;
      const wanted = rows.filter(({ line }) => line >= headerRow);
      if (isFirst && wanted.length > 0) this.requireHeader(wanted[0] as XlsxRow);
      isFirst &&= wanted.length === 0;
      yield wanted;
    }
  }

  private requireHeader({ line }: XlsxRow): void {
    const { headerRow } = this.choice;
    if (headerRow !== undefined && line !== headerRow) throw invalid(`Row ${headerRow} of the sheet is empty, and names no columns`);
  }
}
