import * as bytes from './bytes';
import type { EntityMends } from './entity-mends';
import type { Numbering } from '../entity-numbers';
import { oddNumberAt } from './number-token';
import { looseTextEnd, textEnd } from './text-token';

// Local names: where each byte of a large file passes, members of a module cost a third of the time.
const {
  behind, CARRIAGE_RETURN, CLOSE, COMMA, DIGIT, DOLLAR, DOT, DOUBLE_QUOTE, ENDS_VALUE, HASH, KIND, kindOf, LETTER, LINE_FEED, LOWER, MINUS, OPEN, PLUS, QUOTE, SEMICOLON, SLASH, SPACE, STAR, WORD,
} = bytes;

/** Instead of a position: what stands there is no list of parameters. */
export const BROKEN = -1;
/** Lists within lists; parsers go down by their own stack. */
const MAX_DEPTH = 100;
/** Digits that an integer may have and be below 2^53 whatever they are; and those past which a double has no number at all. */
const SAFE_DIGITS = 15;
const MOST_DIGITS = 300;
const LONGEST_NO_NUMBER = 'infinity'.length;
/** The second letter of every type of IFC. */
const F = 0x66;

/**
 * Reads the parameters of an entity by the grammar of the norm (ISO 10303-21, table 3), token by token, and notes what has to be changed
 * before a parser gets them.
 */
export class ParameterList {
  /** Whether quotes within texts need not be doubled. */
  isLoose = false;
  /** Texts end before it. */
  limit: number;
  /** The farthest position at which something broke, since it was set. */
  reached = 0;
  private depth = 0;
  /** From here on no comment ends: looked for once. */
  private commentsEndBefore = Number.POSITIVE_INFINITY;

  constructor(
    private readonly file: Buffer,
    private readonly numbers: Numbering,
    private readonly mends: EntityMends,
    private readonly noNumber: string,
  ) {
    this.limit = file.length;
  }

  /** From an opening bracket to behind the one that closes it. */
  read(start: number): number {
    this.depth = 0;
    let at = start;
    for (;;) {
      const before = this.depth;
      at = this.opened(at);
      if (at !== BROKEN && (this.file[at] !== CLOSE || this.depth === before)) at = this.value(at);
      if (at !== BROKEN) at = this.closed(at);
      if (at === BROKEN || this.depth === 0) return at;
      if (this.file[at] !== COMMA) return this.broken(at);
      at += 1;
    }
  }

  /** Behind spaces and comments; in front of a comment that never ends. */
  skip(from: number): number {
    let at = from;
    for (;;) {
      at = behind(this.file, at, SPACE);
      if (this.file[at] !== SLASH || this.file[at + 1] !== STAR) return at;
      const end = this.commentEnd(at + 2);
      if (end === BROKEN) return at;
      at = end;
    }
  }

  /** In upper case, as parsers want words. */
  raise(start: number, end: number): void {
    for (let at = start; at < end; at++) {
      if (((KIND[this.file[at] as number] as number) & LOWER) === 0) continue;
      this.mends.replace(start, end, this.file.toString('latin1', start, end).toUpperCase());
      return;
    }
  }

  /** Behind the brackets that open here, each alone or behind the name of a type. */
  private opened(from: number): number {
    let at = this.skip(from);
    for (;;) {
      if (this.file[at] === OPEN) at += 1;
      else if ((kindOf(this.file, at) & LETTER) !== 0) {
        const end = behind(this.file, at, WORD);
        const bracket = this.skip(end);
        if (this.file[bracket] !== OPEN || this.isNoNumber(at, end)) return at;
        this.raise(at, end);
        at = bracket + 1;
      } else return at;
      if (++this.depth > MAX_DEPTH) return this.broken(at);
      at = this.skip(at);
    }
  }

  private closed(from: number): number {
    let at = this.skip(from);
    while (this.file[at] === CLOSE) {
      this.depth -= 1;
      if (this.depth === 0) return at + 1;
      at = this.skip(at + 1);
    }
    return at;
  }

  private value(at: number): number {
    const byte = this.file[at];
    switch (byte) {
      case QUOTE:
        return this.text(at);
      case HASH:
        return this.reference(at);
      case DOLLAR:
      case STAR:
        return at + 1;
      case DOT:
        return this.enumeration(at);
      case DOUBLE_QUOTE:
        return this.binary(at);
      case COMMA:
      case CLOSE:
        this.mends.note('mended');
        this.mends.replace(at, at, '$');
        return at;
      default:
        return this.number(at);
    }
  }

  private text(start: number): number {
    const span = { file: this.file, start, limit: this.limit };
    const end = this.isLoose ? looseTextEnd(span, this.mends) : textEnd(span, this.mends);
    return end < 0 ? this.broken(this.limit) : end;
  }

  private reference(start: number): number {
    const end = behind(this.file, start + 1, DIGIT);
    if (end === start + 1) return this.noValue(start);
    const number = this.numbers.read(this.file, start + 1, end);
    this.numbers.refer(number);
    if (this.numbers.isLarge(number)) this.mends.replace(start + 1, end, String(number));
    return end;
  }

  private enumeration(start: number): number {
    const end = behind(this.file, start + 1, WORD);
    if (end === start + 1 || this.file[end] !== DOT || (kindOf(this.file, start + 1) & DIGIT) !== 0) return this.oddNumber(start);
    this.raise(start + 1, end);
    return end + 1;
  }

  private binary(start: number): number {
    const end = behind(this.file, start + 1, WORD);
    return this.file[end] === DOUBLE_QUOTE ? end + 1 : this.noValue(start);
  }

  private number(start: number): number {
    const first = this.file[start];
    const from = first === PLUS || first === MINUS ? start + 1 : start;
    const whole = behind(this.file, from, DIGIT);
    if (whole === from || whole - from > MOST_DIGITS) return this.oddNumber(start);
    const end = this.file[whole] === DOT ? this.exponentEnd(behind(this.file, whole + 1, DIGIT)) : whole;
    if ((kindOf(this.file, end) & ENDS_VALUE) === 0) return this.oddNumber(start);
    if (end === whole && end - from > SAFE_DIGITS) this.keepLarge(start, end);
    return end;
  }

  private exponentEnd(at: number): number {
    if (this.file[at] !== 0x45) return at;
    const sign = this.file[at + 1];
    const from = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
    const end = behind(this.file, from, DIGIT);
    // Three digits and more may be past what a double holds.
    return end === from || end - from > 2 ? at : end;
  }

  private keepLarge(start: number, end: number): void {
    const digits = this.file.toString('latin1', start, end).replace('+', '');
    if (Number.isSafeInteger(Number(digits))) return;
    this.mends.note('integer');
    this.mends.replace(start, end, `'${digits}'`);
  }

  private oddNumber(start: number): number {
    const odd = oddNumberAt(this.file, start);
    if (odd === undefined) return this.noValue(start);
    const end = start + odd.length;
    const written = this.file.toString('latin1', start, end);
    if (odd.written !== written) {
      if (odd.written !== written.toUpperCase()) this.mends.note(odd.written === undefined ? 'value' : 'mended');
      this.mends.replace(start, end, odd.written ?? this.noNumber);
    }
    return end;
  }

  /** In the place of what is no token: up to where the next may begin. */
  private noValue(start: number): number {
    let end = start;
    while (end < this.file.length && !this.mayFollow(this.file[end] as number)) end += 1;
    if (end === start) return this.broken(start);
    this.mends.note('value');
    this.mends.replace(start, end, '$');
    return end;
  }

  private mayFollow(byte: number): boolean {
    return byte === COMMA || byte === CLOSE || byte === OPEN || byte === SEMICOLON || byte === QUOTE || byte === LINE_FEED || byte === CARRIAGE_RETURN;
  }

  private commentEnd(from: number): number {
    const at = from < this.commentsEndBefore ? this.file.indexOf('*/', from) : -1;
    if (at >= 0) return at + 2;
    this.commentsEndBefore = Math.min(this.commentsEndBefore, from);
    return BROKEN;
  }

  /** `nan(ind)` looks like the name of a type. */
  private isNoNumber(start: number, end: number): boolean {
    return end - start <= LONGEST_NO_NUMBER && ((this.file[start + 1] as number) | 0x20) !== F && oddNumberAt(this.file, start) !== undefined;
  }

  private broken(at: number): typeof BROKEN {
    this.reached = Math.max(this.reached, at);
    return BROKEN;
  }
}
