import { CsvCutter, type RowCutter } from '@twinyard/csv';
import type { CsvForm } from '../rows/csv-form';
import { ndjsonCutter } from '../rows/ndjson-rows';
import type { RowFormat } from '../rows/row';

/** Counts the rows of a file as it arrives, so that whoever waits for its import knows of how many. */
export class RowCount {
  private readonly cutter: CsvCutter | RowCutter;
  private rows = 0;

  constructor(private readonly format: RowFormat, form: CsvForm) {
    this.cutter = format === 'csv' ? new CsvCutter(form) : ndjsonCutter();
  }

  take(chunk: Buffer): void {
    this.rows += this.cutter.take(chunk).length;
  }

  end(): number {
    const rows = this.rows + this.cutter.end().length;
    return this.format === 'csv' ? Math.max(0, rows - 1) : rows;
  }
}
