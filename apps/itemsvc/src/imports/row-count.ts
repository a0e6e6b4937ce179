import { Cutter } from '../rows/cutter';
import type { RowFormat } from '../rows/row';

/** Counts the rows of a file as it arrives, so that whoever waits for its import knows of how many. */
export class RowCount {
  private readonly cutter: Cutter;
  private rows = 0;

  constructor(private readonly format: RowFormat) {
    this.cutter = new Cutter(format);
  }

  take(chunk: Buffer): void {
    this.rows += this.cutter.take(chunk).length;
  }

  end(): number {
    const rows = this.rows + this.cutter.end().length;
    return this.format === 'csv' ? Math.max(0, rows - 1) : rows;
  }
}
