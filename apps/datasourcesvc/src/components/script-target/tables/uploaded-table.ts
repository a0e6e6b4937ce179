import type { WrittenTable } from '@twinyard/scripts';
import { HandOver } from './hand-over';
import { WrittenRows } from './written-rows';

/** Makes a file of the rows as they come; `signal`: it is not wanted any more. */
export type MakeFile = (table: WrittenRows, rows: AsyncIterable<readonly unknown[]>, signal: AbortSignal) => Promise<unknown>;

/** A file that is uploaded while a script makes its rows. */
export class UploadedTable implements WrittenTable {
  private readonly rows = new HandOver<readonly unknown[]>();
  private readonly cut = new AbortController();
  private made: Promise<unknown> | undefined;

  constructor(private readonly columns: readonly string[] | undefined, private readonly make: MakeFile) {}

  /** Where the upload fails meanwhile it is not waited for. */
  async append(rows: readonly unknown[]): Promise<void> {
    const made = this.begun(rows);
    await Promise.race([this.rows.give(rows), made]);
  }

  async finish(): Promise<unknown> {
    const made = this.begun([]);
    this.rows.end();
    return made;
  }

  async close(): Promise<void> {
    const unwanted = new Error('The script writes no more of it');
    this.rows.fail(unwanted);
    this.cut.abort(unwanted);
    await this.made?.catch(() => undefined);
  }

  /** The first rows say which columns there are. */
  private begun(first: readonly unknown[]): Promise<unknown> {
    this.made ??= this.make(WrittenRows.of(this.columns, first), this.rows, this.cut.signal);
    // Whoever waits for it hears why it failed; nobody may be waiting.
    this.made.catch(() => undefined);
    return this.made;
  }
}
