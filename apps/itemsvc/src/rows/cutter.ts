import { MAX_ROW_BYTES, type RowFormat } from './row';

const [LINE_FEED, RETURN, QUOTE, COMMA] = [0x0a, 0x0d, 0x22, 0x2c];
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The bytes of a row without its line end. */
export interface Cut {
  readonly line: number;
  /** Missing where the row is longer than one may be. */
  readonly bytes?: Buffer;
}

/** Finds where a row ends in the next chunk, with what it remembers of the chunks before; -1: not in this one. */
interface EndFinder {
  find(chunk: Buffer, from: number): number;
  /** Line ends inside the row that has just ended. */
  takeInner(): number;
}

/**
 * Cuts a file at the ends of its rows, chunk by chunk. Empty rows are none. Of a row that is longer than one may be no more is kept
 * than that it was there, so a file without line ends costs no memory.
 */
export class Cutter {
  private readonly ends: EndFinder;
  private line = 1;
  private parts: Buffer[] = [];
  private bytes = 0;
  private isFirst = true;

  constructor(format: RowFormat) {
    this.ends = format === 'csv' ? new QuotedEnds() : { find: (chunk, from) => chunk.indexOf(LINE_FEED, from), takeInner: () => 0 };
  }

  take(chunk: Buffer): Cut[] {
    const cuts: Cut[] = [];
    let from = 0;
    for (let end = this.ends.find(chunk, from); end >= 0; end = this.ends.find(chunk, from)) {
      this.keep(chunk.subarray(from, end));
      cuts.push(...this.cut());
      from = end + 1;
    }
    this.keep(chunk.subarray(from));
    return cuts;
  }

  /** What stands behind the last line end. */
  end(): Cut[] {
    return this.cut();
  }

  private keep(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > MAX_ROW_BYTES) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  private cut(): Cut[] {
    const { line } = this;
    const isTooLong = this.bytes > MAX_ROW_BYTES;
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

/** RFC 4180: a quote at the beginning of a cell opens; in there two are one, and one closes. A line end between them ends no row. */
class QuotedEnds implements EndFinder {
  private state: 'begin' | 'plain' | 'quoted' | 'closing' = 'begin';
  private inner = 0;

  find(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      // Cells are mostly longer than what their beginning and end cost.
      if (this.state === 'quoted') at = this.skipQuoted(chunk, at);
      else if (this.step(chunk[at] as number)) return at;
    }
    return -1;
  }

  takeInner(): number {
    const { inner } = this;
    this.inner = 0;
    return inner;
  }

  /** To the next quote. */
  private skipQuoted(chunk: Buffer, from: number): number {
    const quote = chunk.indexOf(QUOTE, from);
    const to = quote < 0 ? chunk.length : quote;
    for (let end = chunk.indexOf(LINE_FEED, from); end >= 0 && end < to; end = chunk.indexOf(LINE_FEED, end + 1)) this.inner += 1;
    if (quote >= 0) this.state = 'closing';
    return to;
  }

  /** True at the end of a row. */
  private step(byte: number): boolean {
    const isOpening = byte === QUOTE && this.state !== 'plain';
    const isEnd = byte === LINE_FEED;
    if (isOpening) this.state = 'quoted';
    else this.state = isEnd || byte === COMMA ? 'begin' : 'plain';
    return isEnd;
  }
}
