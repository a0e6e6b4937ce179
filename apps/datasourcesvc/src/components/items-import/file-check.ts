import { invalid } from '@twinyard/conventions';
import { FirstOf } from '../remarks/first-of';
import type { ColumnChoice } from './item-columns';
import { type ItemRow, ItemRows } from './rows/item-rows';
import { KnownKeys } from './rows/known-keys';
import { RefusedRows } from './rows/refused-rows';
import type { TableForm, TableRow } from '../tables/table';

/** As many as a sheet has. */
const MAX_ROWS = 1_048_576;

/** What a file was found to be. */
export interface CheckedFile {
  /** Rows that hold something. */
  readonly rows: number;
  /** Rows whose key an earlier row has: they are written in their order. */
  readonly repeated: number;
  readonly refused: RefusedRows;
  /** Sentences for the log. */
  readonly remarks: readonly string[];
}

/** Reads all of a file before any of it is written. */
export class FileCheck<C> {
  private readonly rows: ItemRows<C>;
  private readonly refused = new RefusedRows();
  private readonly keys = new KnownKeys();
  private readonly repeated = new FirstOf<string>();
  private count = 0;

  constructor(private readonly form: TableForm<C>, choice: ColumnChoice) {
    this.rows = new ItemRows(form, choice);
  }

  take(part: readonly TableRow<C>[]): void {
    for (const row of this.rows.take(part)) this.takeRow(row);
    if (this.count > MAX_ROWS) throw invalid(`The file has more than the ${MAX_ROWS} rows that are imported at most`);
  }

  /** @throws ServiceError `invalid` for what is wrong with the file as a whole. */
  end(): CheckedFile {
    this.rows.end();
    return { rows: this.count, repeated: this.repeated.count, refused: this.refused, remarks: [...this.rows.remarks(), ...this.repeatedRemarks()] };
  }

  private takeRow(row: ItemRow): void {
    this.count += 1;
    if (row.refused !== undefined) return this.refused.add(row.refused, row.row);
    if (!this.keys.meet(row.key)) return;
    this.repeated.add(`${this.form.place} ${row.line} ${JSON.stringify(row.key.slice(0, 50))}`);
  }

  private repeatedRemarks(): readonly string[] {
    const { count } = this.repeated;
    return count === 0 ? [] : [`${count} rows have a key that an earlier row has, and are written behind it: ${this.repeated.named(String)}`];
  }
}
