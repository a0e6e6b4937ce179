/** What stands where a number should, in the words that programs print for what is none: nan, -nan(ind), 1.#INF, Infinity. */
const NO_NUMBER = /[-+]?(?:(?:nan|ind|qnan|snan)(?:\((?:ind|snan|qnan|0x[\da-f]+|\d*)\))?|inf(?:inity)?|\d*\.?\d*#(?:ind|inf|qnan|snan)\w*)\.?/iy;
/** A number as other languages write it. */
const OTHER_NUMBER = /([-+]?)(\d*)(\.?)(\d*)(?:e([-+]?\d+))?/iy;
/** Longest token that is looked at. */
const LONGEST = 400;

export interface OddNumber {
  /** Bytes of the token. */
  readonly length: number;
  /** As the norm writes it (ISO 10303-21, 6.4.1 and 6.4.2); `undefined` for what is no number. */
  readonly written: string | undefined;
}

/** Reads a number that is not as the norm writes it; `undefined` where none stands. */
export function oddNumberAt(file: Buffer, at: number): OddNumber | undefined {
  const text = file.toString('latin1', at, at + LONGEST);
  const nothing = tokenOf(NO_NUMBER, text);
  if (nothing !== undefined) return { length: nothing[0].length, written: undefined };
  const number = tokenOf(OTHER_NUMBER, text);
  return number && writtenAnew(number);
}

function writtenAnew([token, sign, whole, dot, decimals, exponent]: readonly string[]): OddNumber | undefined {
  if (!whole && !decimals) return undefined;
  const fraction = dot || exponent !== undefined ? `.${decimals}` : '';
  return { length: (token as string).length, written: `${sign}${whole || '0'}${fraction}${exponent === undefined ? '' : `E${exponent}`}` };
}

/** What the pattern finds at the front, where a token ends behind it. */
function tokenOf(pattern: RegExp, text: string): RegExpExecArray | undefined {
  pattern.lastIndex = 0;
  const found = pattern.exec(text);
  return found !== null && endsAt(text, found[0].length) ? found : undefined;
}

const endsAt = (text: string, length: number) => length > 0 && (length === text.length || ' \t\r\n\f\v,)/;'.includes(text[length] as string));
