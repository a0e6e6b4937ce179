import { CARRIAGE_RETURN, HASH, kindOf, LINE_FEED, SEMICOLON, SPACE } from './tokens/bytes';
import { beginsStatement } from './statements';

/** First letters of what begins a section, ends it, or stands in the header. */
const LETTERS: ReadonlySet<number> = new Set(Buffer.from('DEFdef'));

/** Finds where reading can go on after a statement that is broken: at what looks like another one, at the front of a line or behind a semicolon. */
export class NextStatement {
  private from = -1;
  private found = -1;

  constructor(private readonly file: Buffer) {}

  after(start: number): number {
    if (start === this.from) return this.found;
    this.from = start;
    this.found = this.search(start);
    return this.found;
  }

  private search(start: number): number {
    let isFront = false;
    for (let at = start + 1; at < this.file.length; at++) {
      const byte = this.file[at] as number;
      if (byte === SEMICOLON || byte === LINE_FEED || byte === CARRIAGE_RETURN) isFront = true;
      else if ((kindOf(this.file, at) & SPACE) === 0) {
        if (isFront && (byte === HASH || LETTERS.has(byte)) && beginsStatement(this.file, at)) return at;
        isFront = false;
      }
    }
    return this.file.length;
  }
}
