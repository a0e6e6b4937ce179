import { CsvEnds, type RowEnds } from './row-ends';

const RETURN = 0x0d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The bytes of a row without its line end. */
export interface Cut {
  /** The first line of the row, from 1. */
  readonly line: number;
  /** Missing where the row is longer than one may be. */
  readonly bytes?: Buffer;
}

/**
 * Cuts a file at the ends of its rows, chunk by chunk. Empty rows are none. Of a row that is longer than one may be no more is kept
 * than that it was there, so a file without line ends costs no memory.
 */
export class RowCutter {
  private line = 1;
  private parts: Buffer[] = [];
  private bytes = 0;
  private isFirst = true;

  constructor(private readonly ends: RowEnds, private readonly maxBytes: number) {}

  take(chunk: Buffer): Cut[] {
    const cuts: Cut[] = [];
    this.takeRows(chunk, cuts);
    return cuts;
  }

  /** One row, if there is one, and what is behind it. */
  takeOne(chunk: Buffer): { readonly cuts: Cut[]; readonly rest: Buffer } {
    const cuts: Cut[] = [];
    const next = this.takeRows(chunk, cuts, 1);
    return { cuts, rest: chunk.subarray(next) };
  }

  /** What stands behind the last line end. */
  end(): Cut[] {
    return this.cut();
  }

  /** The position up to which the chunk was taken. */
  private takeRows(chunk: Buffer, cuts: Cut[], most = Number.POSITIVE_INFINITY): number {
    if (chunk.length === 0) return 0;
    let from = this.ends instanceof CsvEnds && this.ends.isRestOfEnd(chunk[0]) ? 1 : 0;
    while (cuts.length < most) {
      const found = this.ends.find(chunk, from);
      if (found === undefined) {
        this.keep(chunk.subarray(from));
        return chunk.length;
      }
      this.keep(chunk.subarray(from, found.end));
      cuts.push(...this.cut());
      from = found.next;
    }
    return from;
  }

  private keep(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > this.maxBytes) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  private cut(): Cut[] {
    const { line } = this;
    const isTooLong = this.bytes > this.maxBytes;
    const whole = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    this.line += 1 + this.ends.takeInner();
    this.parts = [];
    this.bytes = 0;
    if (isTooLong) return [{ line }];
    const bytes = trimmed(whole, this.isFirst);
    this.isFirst = false;
    return bytes.length === 0 ? [] : [{ line, bytes }];
  }
}

function trimmed(bytes: Buffer, isFirst: boolean): Buffer {
  const from = isFirst && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
  const to = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length;
  return from === 0 && to === bytes.length ? bytes : bytes.subarray(from, Math.max(from, to));
}
