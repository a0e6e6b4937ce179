import { DELIMITERS, findDelimiter, requireDelimiter } from './delimiter';
import { type Cut, RowCutter } from './row-cutter';
import { CsvEnds } from './row-ends';
import { TextChunks } from './text-chunks';

export interface CsvDialect {
  /** A label of the WHATWG, `windows-1252`; else UTF-8, or UTF-16 with its mark. */
  readonly encoding?: string;
  /** Else one of `,` `;` tab `|`, by the header and the first row. */
  readonly delimiter?: string;
}

/** What a row may weigh, in bytes, where nobody says less: as much as a bulk. */
export const MAX_ROW_BYTES = 10 * 1024 * 1024;

/**
 * Cuts a CSV file (RFC 4180) into rows, its header among them as the first, chunk by chunk. Line ends are LF, CR LF or CR, also mixed; empty rows are none.
 * The first two rows are cut by every delimiter there is, and by them it is found.
 * @throws CsvFault
 */
export class CsvCutter {
  /** Known behind the first two rows, and at the end. */
  delimiter: string | undefined;
  private readonly text: TextChunks;
  private readonly ends: CsvEnds;
  private readonly rows: RowCutter;
  private header: string | undefined;

  constructor({ encoding, delimiter }: CsvDialect = {}, maxRowBytes = MAX_ROW_BYTES) {
    this.text = new TextChunks(encoding);
    this.delimiter = delimiter === undefined ? undefined : requireDelimiter(delimiter);
    this.ends = new CsvEnds((delimiter === undefined ? DELIMITERS : [delimiter]).map((one) => one.charCodeAt(0)));
    this.rows = new RowCutter(this.ends, maxRowBytes);
  }

  take(chunk: Buffer): Cut[] {
    return this.cut(this.text.take(chunk));
  }

  /** What stands behind the last line end. */
  end(): Cut[] {
    const cuts = this.cut(this.text.end());
    const last = this.rows.end();
    this.learn(last);
    this.delimiter ??= findDelimiter(this.header ?? '', undefined);
    return [...cuts, ...last];
  }

  /** Until the delimiter is known row by row: those behind are cut by the one that was found. */
  private cut(text: Buffer): Cut[] {
    const cuts: Cut[] = [];
    let rest = text;
    while (this.delimiter === undefined && rest.length > 0) {
      const taken = this.rows.takeOne(rest);
      this.learn(taken.cuts);
      cuts.push(...taken.cuts);
      rest = taken.rest;
    }
    return rest.length === 0 ? cuts : [...cuts, ...this.rows.take(rest)];
  }

  private learn(cuts: readonly Cut[]): void {
    for (const { bytes } of cuts) {
      if (this.delimiter !== undefined || bytes === undefined) continue;
      const row = bytes.toString('latin1');
      if (this.header === undefined) this.header = row;
      else this.know(findDelimiter(this.header, row));
    }
  }

  private know(delimiter: string): void {
    this.delimiter = delimiter;
    this.ends.use([delimiter.charCodeAt(0)]);
  }
}
