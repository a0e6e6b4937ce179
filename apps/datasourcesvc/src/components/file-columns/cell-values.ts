export type CellValue =
  | { readonly kind: 'missing' }
  | { readonly kind: 'number'; readonly value: number }
  /** A whole number above 2^53, which a double would change: its digits. */
  | { readonly kind: 'large'; readonly value: string }
  | { readonly kind: 'text'; readonly value: string };

/** What cells may be beside that where they become properties of items. */
export type ItemValue = CellValue
  /** True, false, a list or an object. */
  | { readonly kind: 'other'; readonly value: unknown }
  /** `#REF!` of a spreadsheet. */
  | { readonly kind: 'error'; readonly value: string }
  /** A formula for which the file has no value. */
  | { readonly kind: 'uncalculated' };

type Valued = Extract<ItemValue, { readonly kind: 'number' | 'large' | 'text' | 'other' }>;

export const hasValue = (value: ItemValue): value is Valued => ['number', 'large', 'text', 'other'].includes(value.kind);

/** How numbers and gaps are written in a file. */
export interface CellRules {
  readonly decimalSeparator: '.' | ',';
  /** Texts that stand for no value. */
  readonly missing: ReadonlySet<string>;
}

export const MISSING: CellValue = { kind: 'missing' };
const WITH_POINT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** Thousands may have dots. */
const WITH_COMMA = /^[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)?(?:,\d*)?(?:e[+-]?\d+)?$/i;
const WHOLE = /^[+-]?\d+$/;

/** How cells are read, as a file has it (contract 5). */
export function cellReader({ missing, decimalSeparator }: CellRules): (cell: string) => CellValue {
  const plain = decimalSeparator === '.' ? withPoint : withComma;
  return (cell) => {
    const text = cell.trim();
    if (missing.has(text)) return MISSING;
    const number = plain(text);
    if (number === undefined) return { kind: 'text', value: text };
    const value = Number(number);
    if (WHOLE.test(number) && !Number.isSafeInteger(value)) return { kind: 'large', value: number.replace('+', '') };
    return Number.isFinite(value) ? { kind: 'number', value } : { kind: 'text', value: text };
  };
}

const withPoint = (text: string) => (WITH_POINT.test(text) ? text : undefined);

/** As JavaScript writes it. */
function withComma(text: string): string | undefined {
  if (!WITH_COMMA.test(text) || !/\d/.test(text)) return undefined;
  return text.replaceAll('.', '').replace(',', '.');
}

/** Of files whose decimals have a comma: in no other form of number it stands between digits alone. */
export const looksLikeDecimalComma = (text: string) => /^[+-]?\d+,\d+$/.test(text);
