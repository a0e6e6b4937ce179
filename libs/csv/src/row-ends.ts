const [LINE_FEED, RETURN, QUOTE] = [0x0a, 0x0d, 0x22];

/** Finds where rows end in one chunk after the other, with what it remembers of those before. */
export interface RowEnds {
  /** Where the row ends that goes on at `from`, and where the next begins; `undefined`: not in this chunk. */
  find(chunk: Buffer, from: number): { readonly end: number; readonly next: number } | undefined;
  /** Line ends inside the row that has just ended. */
  takeInner(): number;
}

/** A row a line: LF, before it maybe a CR, which is left in the row. */
export class LineFeeds implements RowEnds {
  find(chunk: Buffer, from: number): { readonly end: number; readonly next: number } | undefined {
    const end = chunk.indexOf(LINE_FEED, from);
    return end < 0 ? undefined : { end, next: end + 1 };
  }

  takeInner(): number {
    return 0;
  }
}

/**
 * RFC 4180: a quote at the beginning of a cell opens; in there two are one, and one closes. A line end between them ends no row. Line ends are LF, CR LF
 * and CR, also mixed.
 */
export class CsvEnds implements RowEnds {
  private state: 'begin' | 'plain' | 'quoted' | 'closing' = 'begin';
  private inner = 0;
  /** The last byte was a CR: a LF behind it is of the same line end. */
  private isAfterReturn = false;

  /** By byte: 1 where a cell ends before it. */
  private readonly delimiters = new Uint8Array(256);

  constructor(delimiters: readonly number[]) {
    this.use(delimiters);
  }

  /** From here on cells end before these bytes. */
  use(delimiters: readonly number[]): void {
    this.delimiters.fill(0);
    for (const byte of delimiters) this.delimiters[byte] = 1;
  }

  find(chunk: Buffer, from: number): { readonly end: number; readonly next: number } | undefined {
    for (let at = from; at < chunk.length; at += 1) {
      if (this.state === 'quoted') {
        at = this.skipQuoted(chunk, at);
        continue;
      }
      const byte = chunk[at] as number;
      if (this.step(byte)) return { end: at, next: byte === RETURN && chunk[at + 1] === LINE_FEED ? this.passLineFeed(at) : at + 1 };
    }
    return undefined;
  }

  takeInner(): number {
    const { inner } = this;
    this.inner = 0;
    return inner;
  }

  /** The LF of a CR LF of which the CR ended the chunk before; to be left out of the row. */
  isRestOfEnd(byte: number | undefined): boolean {
    if (this.state === 'quoted') return false;
    const isRest = this.isAfterReturn && byte === LINE_FEED;
    this.isAfterReturn = false;
    return isRest;
  }

  private passLineFeed(at: number): number {
    this.isAfterReturn = false;
    return at + 2;
  }

  /** To the next quote. */
  private skipQuoted(chunk: Buffer, from: number): number {
    const quote = chunk.indexOf(QUOTE, from);
    const to = quote < 0 ? chunk.length : quote;
    for (let at = from; at < to; at += 1) {
      const byte = chunk[at];
      if (byte === LINE_FEED && !this.isAfterReturn) this.inner += 1;
      if (byte === RETURN) this.inner += 1;
      this.isAfterReturn = byte === RETURN;
    }
    if (quote >= 0) [this.state, this.isAfterReturn] = ['closing', false];
    return to;
  }

  /** True at the end of a row. */
  private step(byte: number): boolean {
    const isOpening = byte === QUOTE && this.state !== 'plain';
    const isEnd = byte === LINE_FEED || byte === RETURN;
    this.isAfterReturn = byte === RETURN;
    if (isOpening) this.state = 'quoted';
    else this.state = isEnd || this.delimiters[byte] === 1 ? 'begin' : 'plain';
    return isEnd;
  }
}
