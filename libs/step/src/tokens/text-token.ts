import { BACKSLASH, behind, CLOSE, COMMA, QUOTE, SPACE } from './bytes';
import type { EntityMends } from './entity-mends';

const S = 0x53;
const UPPER_CASE = 0xdf;
/** With which a text goes on behind a quote; any other begins a value, before which a comma is missing. */
const GOES_ON: ReadonlySet<number> = new Set(Buffer.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/&"'));
const FIRST_BEYOND_ASCII = 0x80;
/** No end before the limit. */
export const OPEN_TEXT = -1;

/** Bytes of a file from one opening quote on. */
export interface TextSpan {
  readonly file: Buffer;
  /** Of the opening quote. */
  readonly start: number;
  readonly limit: number;
}

/** The position behind the closing quote (ISO 10303-21, 6.4.3): a doubled quote is one within the text, and so is that of `\S\'`, which means §. */
export function textEnd({ file, start, limit }: TextSpan, mends: EntityMends): number {
  for (let at = start + 1; at < limit; at++) {
    if (file[at] !== QUOTE) continue;
    if (file[at - 1] === BACKSLASH && isShifted(file, start + 1, at)) mends.replace(at, at, "'"); // parsers do not know it
    else if (file[at + 1] === QUOTE) at += 1;
    else return at + 1;
  }
  return OPEN_TEXT;
}

/** The same of a text with quotes that are not doubled, `'Tom's'`: the one that closes has a comma or a bracket after it, one within the text goes on with it. */
export function looseTextEnd({ file, start, limit }: TextSpan, mends: EntityMends): number {
  for (let at = start + 1; at < limit; at++) {
    if (file[at] !== QUOTE) continue;
    const next = file[behind(file, at + 1, SPACE)] ?? 0;
    if (next === COMMA || next === CLOSE) return at + 1;
    if (file[at + 1] === QUOTE) at += 1;
    else if (next < FIRST_BEYOND_ASCII && !GOES_ON.has(next)) return OPEN_TEXT;
    else mends.replace(at, at, "'");
  }
  return OPEN_TEXT;
}

/** Whether the quote is the character that a `\S\` moves up by 128: directives are read from the front, since `\\S\` is none. */
function isShifted(file: Buffer, from: number, quote: number): boolean {
  for (let at = from; at < quote; at++) {
    if (file[at] !== BACKSLASH) continue;
    const isShift = ((file[at + 1] as number) & UPPER_CASE) === S && file[at + 2] === BACKSLASH;
    if (isShift && at + 3 === quote) return true;
    if (isShift) at += 3;
    else if (file[at + 1] === BACKSLASH) at += 1;
  }
  return false;
}
