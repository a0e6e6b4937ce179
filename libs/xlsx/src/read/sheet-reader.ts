import { unescaped } from '../xml/cell-text';
import type { Attributes, XmlReader } from '../xml/xml-feed';
import { XlsxFault } from '../xlsx-fault';
import { MAX_COLUMNS, MAX_ROWS } from '../xlsx-limits';
import type { ValueForm } from './number-formats';
import { textOfSerial } from './serial-times';
import { type SharedTexts, TextReader } from './shared-texts';
import { type CellMeaning, cellOf, columnOf, type XlsxCell, type XlsxRow } from './xlsx-cell';

/** What the cells of a sheet refer to. */
export interface SheetContext {
  readonly name: string;
  readonly texts: SharedTexts;
  readonly forms: readonly ValueForm[];
  readonly isFrom1904: boolean;
  readonly cellLength: number;
  readonly rowLength: number;
}

/** Makes rows of what a sheet's XML says. Rows and cells that hold nothing are none. */
export class SheetReader implements XmlReader {
  /** Ranges of merged cells; known at the end of the sheet. Of each its first cell alone has a value. */
  merged = 0;
  private rows: XlsxRow[] = [];
  private line = 0;
  private cells: XlsxCell[] = [];
  /** Characters of the row, and of those before it that were not taken yet. */
  private length = 0;
  private heldLength = 0;
  private column = -1;
  private type = 'n';
  private form: ValueForm = 'number';
  private value = '';
  private hasFormula = false;
  private isValue = false;
  private readonly inline: TextReader;
  private readonly meaning: CellMeaning;

  constructor(private readonly sheet: SheetContext) {
    this.inline = new TextReader('is', sheet.cellLength, (text) => (this.value = text));
    this.meaning = {
      textAt: (index) => sheet.texts.at(index),
      dateOf: (serial) => (this.form === 'number' ? undefined : textOfSerial(serial, this.form, sheet.isFrom1904)),
    };
  }

  /** Those that are whole by now, each once. */
  takeRows(): readonly XlsxRow[] {
    const { rows } = this;
    [this.rows, this.heldLength] = [[], 0];
    return rows;
  }

  open(name: string, attributes: Attributes): void {
    this.inline.open(name);
    switch (name) {
      case 'row':
        return this.beginRow(attributes['r']);
      case 'c':
        return this.beginCell(attributes);
      case 'f':
        this.hasFormula = true;
        return;
      case 'v':
        this.isValue = true;
        return;
      case 'mergeCell':
        this.merged += 1;
    }
  }

  text(text: string): void {
    this.inline.text(text);
    if (!this.isValue) return;
    this.value += text;
    if (this.value.length > this.sheet.cellLength) throw this.fault(`a cell has more than ${this.sheet.cellLength} characters`);
  }

  close(name: string): void {
    this.inline.close(name);
    if (name === 'v') this.isValue = false;
    if (name === 'c') this.endCell();
    if (name === 'row') this.endRow();
  }

  private beginRow(reference: string | undefined): void {
    const line = reference === undefined ? this.line + 1 : Number(reference);
    if (!Number.isInteger(line) || line <= this.line || line > MAX_ROWS) throw this.fault(`behind row ${this.line} comes a row ${JSON.stringify(reference)}`);
    [this.line, this.cells, this.column, this.length] = [line, [], -1, 0];
  }

  private endRow(): void {
    if (this.cells.length > 0) this.rows.push({ line: this.line, cells: this.cells });
    [this.cells, this.heldLength, this.length] = [[], this.heldLength + this.length, 0];
  }

  private beginCell({ r: reference, t: type = 'n', s: style }: Attributes): void {
    const column = reference === undefined ? this.column + 1 : columnOf(reference);
    if (!(column > this.column && column < MAX_COLUMNS)) throw this.fault(`row ${this.line} has its cells in no order, or too many of them`);
    [this.column, this.type, this.value, this.hasFormula, this.isValue] = [column, type, '', false, false];
    this.form = this.sheet.forms[Number(style ?? 0)] ?? 'number';
  }

  private endCell(): void {
    const { type, hasFormula } = this;
    const value = type === 'str' ? unescaped(this.value) : this.value;
    const cell = cellOf({ type, value, hasFormula }, this.meaning);
    if (cell === undefined) throw this.fault(`row ${this.line} refers to a text that is not there`);
    if (cell.kind === 'empty') return;
    this.cells[this.column] = cell;
    if ('value' in cell && typeof cell.value === 'string') this.length += cell.value.length;
    const { name, rowLength } = this.sheet;
    if (this.length + this.heldLength > rowLength) throw new XlsxFault(`In the sheet ${JSON.stringify(name)} row ${this.line} and those before it hold more than the ${rowLength} characters that are read at once`);
  }

  private fault(reason: string): XlsxFault {
    return new XlsxFault(`The workbook is damaged: in the sheet ${JSON.stringify(this.sheet.name)} ${reason}`);
  }
}
