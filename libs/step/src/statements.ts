import * as bytes from './tokens/bytes';
import { EntityMends } from './tokens/entity-mends';
import type { Numbering } from './entity-numbers';
import { BROKEN, ParameterList } from './tokens/parameter-list';

const { behind, CARRIAGE_RETURN, DIGIT, EQUALS, HASH, kindOf, LETTER, LINE_FEED, MINUS, OPEN, SEMICOLON, SPACE, WORD } = bytes; // as in parameter-list.ts

/** Of ISO 10303-21: nothing stands here. */
export const NO_VALUE = '$';

/** A statement of an exchange structure: `#12=IFCWALL(…);`, `FILE_SCHEMA(…);` or `ENDSEC;`. */
export interface Statement {
  readonly start: number;
  /** Behind its semicolon; BROKEN where it is none. */
  readonly end: number;
  /** Of an entity. */
  readonly number: number | undefined;
  /** Where its name stands. */
  readonly name: readonly [start: number, end: number];
}

/** Reads statements one after the other. What has to be changed in the one that was read last is in `mends`. */
export class Statements {
  readonly mends = new EntityMends();
  readonly parameters: ParameterList;
  private readonly lineMark: number;
  private endOfLine = -1;

  constructor(
    private readonly file: Buffer,
    private readonly numbers: Numbering,
    noNumber = NO_VALUE,
  ) {
    this.lineMark = file.includes(LINE_FEED) ? LINE_FEED : CARRIAGE_RETURN;
    this.parameters = new ParameterList(file, numbers, this.mends, noNumber);
  }

  /**
   * The statement that begins here, by the norm. Where it is none, or another seems to begin within it (a text that is not closed, and ends where a later
   * one begins), one with quotes that are not doubled, which ends before `next()`.
   */
  read(start: number, next: () => number): Statement {
    this.parameters.reached = start;
    const strict = this.attempt(start);
    if (strict.end !== BROKEN && (strict.end <= this.lineEnd(start) || strict.end <= next())) return strict;
    this.parameters.reached = Math.max(this.parameters.reached, strict.end);
    Object.assign(this.parameters, { isLoose: true, limit: next() });
    const loose = this.attempt(start);
    Object.assign(this.parameters, { isLoose: false, limit: this.file.length });
    if (loose.end === BROKEN || loose.end > next()) return { ...loose, end: BROKEN };
    this.mends.note('mended');
    return loose;
  }

  /** Of the line in which this stands. */
  private lineEnd(start: number): number {
    if (this.endOfLine < start) {
      const at = this.file.indexOf(this.lineMark, start);
      this.endOfLine = at < 0 ? this.file.length : at;
    }
    return this.endOfLine;
  }

  private attempt(start: number): Statement {
    this.mends.clear();
    return this.file[start] === HASH ? this.entity(start) : this.other(start);
  }

  private entity(start: number): Statement {
    const { file, parameters } = this;
    const digits = behind(file, start + 1, DIGIT);
    const sign = parameters.skip(digits);
    const name = parameters.skip(sign + 1);
    const nameEnd = this.wordEnd(name);
    const bracket = parameters.skip(nameEnd);
    const isWhole = digits > start + 1 && file[sign] === EQUALS && nameEnd > name && file[bracket] === OPEN;
    if (!isWhole) return { start, end: BROKEN, number: undefined, name: [name, nameEnd] };
    const number = this.numbers.read(file, start + 1, digits);
    if (this.numbers.isLarge(number)) this.mends.replace(start + 1, digits, String(number));
    parameters.raise(name, nameEnd);
    return { start, end: this.finished(parameters.read(bracket)), number, name: [name, nameEnd] };
  }

  /** `HEADER`, `DATA`, `DATA(…)`, `ENDSEC`, an entity of the header. */
  private other(start: number): Statement {
    const { parameters } = this;
    const nameEnd = this.wordEnd(start);
    const bracket = parameters.skip(nameEnd);
    const isName = (kindOf(this.file, start) & LETTER) !== 0;
    if (isName) parameters.raise(start, nameEnd);
    const last = this.file[bracket] === OPEN ? parameters.read(bracket) : nameEnd;
    return { start, end: isName ? this.finished(last) : BROKEN, number: undefined, name: [start, nameEnd] };
  }

  /** Behind the semicolon, which may be missing before the next statement. */
  private finished(last: number): number {
    if (last === BROKEN) return BROKEN;
    const at = this.parameters.skip(last);
    if (this.file[at] === SEMICOLON) return at + 1;
    if (!beginsStatement(this.file, at)) return BROKEN;
    this.mends.note('mended');
    this.mends.replace(last, last, ';');
    return last;
  }

  /** `END-ISO-10303-21` is one. */
  private wordEnd(from: number): number {
    let at = behind(this.file, from, WORD);
    while (this.file[at] === MINUS) at = behind(this.file, at + 1, WORD);
    return at;
  }
}

const SECTION = /^(?:ENDSEC\s*;|END-ISO-|DATA\s*[;(]|FILE_[A-Z]+\s*\()/i;

/** Whether an entity, one of the header, or the beginning or end of a section is here. */
export function beginsStatement(file: Buffer, start: number): boolean {
  if (file[start] !== HASH) return SECTION.test(file.toString('latin1', start, start + 40));
  const digits = behind(file, start + 1, DIGIT);
  return digits > start + 1 && file[behind(file, digits, SPACE)] === EQUALS;
}
