import { MISSING_VALUES } from './missing-values';

/**
 * A value as the text of a CSV cell, and back, without loss: `undefined` (no such property) is the empty cell; numbers, `true`, `false`,
 * `null`, arrays and empty objects are their JSON; a text is itself, unless it would be read as something else, or a spreadsheet would
 * take it for a formula: then it is a JSON text in quotes.
 */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Digits that a double always keeps. */
const SAFE_DIGITS = 15;
/** What spreadsheets take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([['true', true], ['false', false], ['null', null]]);

/** How the cells of a file are written. */
export interface CellForm {
  readonly decimalSeparator?: '.' | ',';
  /** Cells that hold no value, beside the empty ones; `MISSING_VALUES` where it does not say. */
  readonly missingValues?: readonly string[];
}

/** Reads cells as a file has them: with decimals behind a comma where it says so, and texts that stand for no value. */
export function cellDecoder({ decimalSeparator, missingValues = MISSING_VALUES }: CellForm): (cell: string) => unknown {
  const missing = new Set(missingValues);
  const decode = decimalSeparator === ',' ? decodeWithComma : decodeCell;
  return missing.size === 0 ? decode : (cell) => (missing.has(cell.trim()) ? undefined : decode(cell));
}

/** Thousands may have dots. */
const WITH_COMMA = /^-?(?:\d{1,3}(?:\.\d{3})+|0|[1-9]\d*)(?:,\d+)?(?:[eE][+-]?\d+)?$/;

function decodeWithComma(text: string): unknown {
  if (WITH_COMMA.test(text)) return fromNumber(text.replaceAll('.', '').replace(',', '.'));
  return NUMBER.test(text) ? text : decodeCell(text);
}

function decodeCell(text: string): unknown {
  if (text === '') return undefined;
  const first = text.charCodeAt(0);
  if (first === 0x22 || first === 0x5b || first === 0x7b) return fromJson(text);
  if (WORDS.has(text)) return WORDS.get(text);
  return NUMBER.test(text) ? fromNumber(text) : text;
}

const decodeOwn = cellDecoder({});

/** As cells are read of which nobody says how they are written. */
export function encodeCell(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return FORMULA.test(value) || decodeOwn(value) !== value ? JSON.stringify(value) : value;
}

/** For properties that are always texts, such as ids: digits in them are no number. */
export function decodeTextCell(text: string): string | undefined {
  if (text === '') return undefined;
  const value = text.startsWith('"') ? fromJson(text) : text;
  return typeof value === 'string' ? value : text;
}

export function encodeTextCell(value: unknown): string {
  if (typeof value !== 'string') return encodeCell(value);
  return value === '' || value.startsWith('"') || FORMULA.test(value) ? JSON.stringify(value) : value;
}

/** What begins like JSON and is none is a text. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A number, where it keeps all of its digits: a long article number is a text. */
function fromNumber(text: string): number | string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  const digits = text.replace(/[eE].*$/, '').replace(/\D/g, '').replace(/^0+/, '');
  return digits.length <= SAFE_DIGITS || String(value) === text ? value : text;
}
