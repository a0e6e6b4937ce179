import { CARRIAGE_RETURN, LINE_FEED } from './tokens/bytes';

/** Room for what a file grows by, before its copy has to move. */
const ROOM = 65_536;
const BLANK = 0x20;

/** A file with some of its bytes replaced, from front to back. A file with nothing to replace is not copied. */
export class MendedCopy {
  private out: Buffer | undefined;
  /** Of the copy: written so far. */
  private end = 0;
  /** Of the file: copied so far. */
  private taken = 0;

  constructor(private readonly file: Buffer) {}

  /** `text` in the place of the bytes from `start` up to `end`. */
  replace(start: number, end: number, text: string): void {
    this.take(start, text.length);
    this.end += (this.out as Buffer).write(text, this.end, 'latin1');
    this.taken = end;
  }

  /** Spaces in the place of the bytes, and the line ends as they are: lines keep their numbers. */
  blank(start: number, end: number): void {
    this.take(start, end - start);
    const out = this.out as Buffer;
    for (let at = start; at < end; at++) {
      const byte = this.file[at] as number;
      out[this.end++] = byte === LINE_FEED || byte === CARRIAGE_RETURN ? byte : BLANK;
    }
    this.taken = end;
  }

  bytes(): Buffer {
    if (this.out === undefined) return this.file;
    this.take(this.file.length, 0);
    return this.out.subarray(0, this.end);
  }

  private take(start: number, more: number): void {
    const needed = this.end + (start - this.taken) + more + (this.file.length - start);
    if (this.out === undefined || this.out.length < needed) this.grow(needed);
    this.file.copy(this.out as Buffer, this.end, this.taken, start);
    this.end += start - this.taken;
    this.taken = start;
  }

  private grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.ceil(needed * (this.out === undefined ? 1 : 1.25)) + ROOM);
    this.out?.copy(larger, 0, 0, this.end);
    this.out = larger;
  }
}
