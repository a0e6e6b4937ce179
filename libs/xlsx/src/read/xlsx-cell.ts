/** What a cell holds; of a formula, what the program that wrote the file has found for it. */
export type XlsxCell =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  /** A whole number above 2^53, which a double would change: as the file has it. */
  | { readonly kind: 'large'; readonly value: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** A date, a time, or both: ISO 8601 without a zone. */
  | { readonly kind: 'date'; readonly value: string }
  /** `#N/A`, `#REF!`, … */
  | { readonly kind: 'error'; readonly value: string }
  /** A formula for which the file has no value: whoever wrote it did not calculate. */
  | { readonly kind: 'uncalculated' };

export interface XlsxRow {
  /** From 1, as the sheet shows it. */
  readonly line: number;
  /** By their columns, with gaps where there is nothing: a row of a single cell may be 16,384 wide. */
  readonly cells: readonly (XlsxCell | undefined)[];
}

const EMPTY: XlsxCell = { kind: 'empty' };
const UNCALCULATED: XlsxCell = { kind: 'uncalculated' };

/** The column of a reference (`AB12`), from 0; NaN where it is none. */
export function columnOf(reference: string): number {
  const [, letters] = /^([A-Z]{1,3})\d+$/.exec(reference) ?? [];
  if (letters === undefined) return Number.NaN;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** `0` is `A`. */
export function columnName(index: number): string {
  const rest = Math.floor(index / 26) - 1;
  return (rest < 0 ? '' : columnName(rest)) + String.fromCharCode(65 + (index % 26));
}

/** What a cell says of itself: its type (`t`), and what is in `<v>` and `<is>`. */
export interface CellSource {
  readonly type: string;
  readonly value: string;
  readonly hasFormula: boolean;
}

/** How to read the numbers and the shared texts of a cell. */
export interface CellMeaning {
  textAt(index: number): string | undefined;
  dateOf(serial: number): string | undefined;
}

/** `undefined`: the cell refers to a text that is not there. */
export function cellOf({ type, value, hasFormula }: CellSource, meaning: CellMeaning): XlsxCell | undefined {
  if (value === '') return hasFormula && type !== 'str' ? UNCALCULATED : EMPTY;
  switch (type) {
    case 's':
      return toText(meaning.textAt(Number(value)));
    case 'str':
    case 'inlineStr':
      return toText(value);
    case 'b':
      return { kind: 'boolean', value: value === '1' || value === 'true' };
    case 'e':
      return { kind: 'error', value };
    case 'd':
      return { kind: 'date', value };
    default:
      return numberOf(value, meaning);
  }
}

function toText(value: string | undefined): XlsxCell | undefined {
  if (value === undefined) return undefined;
  return value === '' ? EMPTY : { kind: 'text', value };
}

function numberOf(value: string, meaning: CellMeaning): XlsxCell {
  const number = Number(value);
  if (!Number.isFinite(number)) return { kind: 'text', value };
  const date = meaning.dateOf(number);
  if (date !== undefined) return { kind: 'date', value: date };
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? { kind: 'large', value } : { kind: 'number', value: number };
}
