import { invalid } from '@twinyard/conventions';
import { hasValue, type ItemValue } from '../../file-columns/cell-values';
import { put } from '../../file-columns/column-names';
import { ColumnTally } from '../../file-columns/column-tally';
import { FirstOf } from '../../remarks/first-of';
import { type ColumnChoice, findItemColumns, type ItemColumns, KEY } from '../item-columns';
import { isFilled, type TableForm, type TableRow } from '../../tables/table';
import type { RefusalKind, RefusedRow } from './refused-rows';

export type ItemRow =
  | { readonly line: number; readonly key: string; readonly item: Readonly<Record<string, unknown>>; readonly refused?: undefined }
  | { readonly line: number; readonly refused: RefusalKind; readonly row: RefusedRow };

const MAX_KEY_BYTES = 1_024;

/** Reads a file once: its first row as the names of columns, each other as an item, or as what is wrong with it. Rows that hold nothing are none. */
export class ItemRows<C> {
  private columns: ItemColumns | undefined;
  private tallies: readonly ColumnTally[] = [];
  private readonly unnamed = new FirstOf<string>();

  constructor(private readonly form: TableForm<C>, private readonly choice: ColumnChoice) {}

  *take(rows: readonly TableRow<C>[]): Generator<ItemRow> {
    for (const row of rows) {
      if (this.columns === undefined) this.takeHeader(row);
      else if (row.fault !== undefined) yield refusal('unreadable', row.line, row.fault);
      else if (row.cells.some(isFilled)) yield this.toItem(row.line, row.cells, this.columns);
    }
  }

  /** @throws ServiceError `invalid` for what is wrong with the file as a whole; nothing of it is to be written then. */
  end(): void {
    if (this.columns === undefined) throw invalid('The file is empty');
    if (this.unnamed.count > 0) throw invalid(`The file has data in columns without a name, and nothing was imported: ${this.unnamed.named(String, '; ')}`);
  }

  /** Sentences for the log. */
  remarks(): readonly string[] {
    const missing = this.tallies.reduce((sum, tally) => sum + tally.missing, 0);
    const own = this.columns?.own ?? [];
    return [
      ...(own.length > 0 ? [`The columns ${own.join(', ')} are the platform's own and are left out`] : []),
      ...(missing > 0 ? [`${missing} cells hold no value and are left out`] : []),
      ...this.tallies.flatMap((tally) => tally.remarks()),
    ];
  }

  private takeHeader(row: TableRow<C>): void {
    const { place } = this.form;
    if (row.fault !== undefined) throw invalid(`${place} ${row.line} ${row.fault}`);
    this.columns = findItemColumns(Array.from(row.cells, (cell) => this.form.nameOf(cell)), this.choice);
    this.tallies = this.columns.fields.map((column) => new ColumnTally(column, place));
  }

  private toItem(line: number, cells: readonly (C | undefined)[], columns: ItemColumns): ItemRow {
    const { width, key, fields } = columns;
    if (this.form.isRectangular && cells.length !== width) return refusal('width', line, `${cells.length} instead of ${width}`);
    this.noteUnnamed(line, cells, columns);
    const name = this.form.keyOf(cells[key.index]);
    const keyFault = faultOfKey(name);
    if (keyFault !== undefined) return refusal('key', line, keyFault, key.name);
    const item: Record<string, unknown> = {};
    for (const [position, { index, path, isText, name: column }] of fields.entries()) {
      const value = isText ? this.form.textOf(cells[index]) : this.form.valueOf(cells[index]);
      if (isBroken(value)) return refusal('characters', line, 'a NUL, or half a character', column);
      (this.tallies[position] as ColumnTally).take(value, line);
      if (hasValue(value)) put(item, path, value.value);
    }
    return { line, key: name, item: { ...item, [KEY]: name } };
  }

  private noteUnnamed(line: number, cells: readonly (C | undefined)[], { nameless, width }: ItemColumns): void {
    const index = nameless.find((one) => isFilled(cells[one])) ?? cells.findIndex((cell, at) => at >= width && isFilled(cell));
    if (index < 0) return;
    this.unnamed.add(`${this.form.place} ${line} in column ${index + 1}`);
  }
}

const refusal = (refused: RefusalKind, line: number, reason: string, column?: string): ItemRow => ({ line, refused, row: { row: line, reason, ...(column !== undefined && { column }) } });

function faultOfKey(key: string): string | undefined {
  if (key === '') return 'none';
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `longer than ${MAX_KEY_BYTES} bytes`;
  return isBrokenText(key) ? 'a NUL, or half a character' : undefined;
}

/** What no text of the platform may hold (contract 0.1). */
const isBrokenText = (text: string) => text.includes('\0') || !text.isWellFormed();
const isBroken = (value: ItemValue) => value.kind === 'text' && isBrokenText(value.value);
