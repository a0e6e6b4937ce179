import { invalid, tooLarge } from '@twinyard/conventions';
import { ROW_BYTES, ROWS_BYTES, type RowReading } from '@twinyard/scripts';
import { hasValue } from '../../file-columns/cell-values';
import { columnNamed, refuseRepeated } from '../../file-columns/column-names';
import { isFilled, type TableForm, type TableRow, type TableRows } from '../../tables/table';

/** What a script gets of a row: an object by the names of the columns, or a list of cells. */
export type ScriptRow = Readonly<Record<string, unknown>> | readonly unknown[];

interface Columns {
  /** '' where a column has none. */
  readonly names: readonly string[];
  /** Whose cells are texts. */
  readonly texts: ReadonlySet<number>;
}

/** Makes rows for a script of those of a file, whose cells are read as imports read them. A row that cannot be read ends the reading. */
export class ScriptRows<C> {
  private columns: Columns | undefined;

  /** `nameOf`: of a column, by what its header says. */
  constructor(private readonly form: TableForm<C>, private readonly reading: RowReading, private readonly nameOf = (header: string) => header) {}

  *take(rows: readonly TableRow<C>[]): Generator<ScriptRow> {
    for (const row of rows) {
      if (row.fault !== undefined) throw this.fault(row.line, row.fault);
      if (this.reading.header && this.columns === undefined) this.columns = this.columnsOf(row.cells);
      else if (row.cells.some(isFilled)) yield this.columns === undefined ? this.listOf(row.cells) : this.objectOf(row.line, row.cells, this.columns);
    }
  }

  private columnsOf(cells: readonly (C | undefined)[]): Columns {
    const names = Array.from(cells, (cell) => this.nameOf(this.form.nameOf(cell)));
    refuseRepeated(names);
    return { names, texts: new Set(this.reading.textColumns.map((name) => columnNamed(names, name))) };
  }

  private objectOf(line: number, cells: readonly (C | undefined)[], { names, texts }: Columns): ScriptRow {
    if (this.form.isRectangular && cells.length !== names.length) throw this.fault(line, `has ${cells.length} cells, and there are ${names.length} columns: with "header": false such rows are lists of their cells`);
    const values: [string, unknown][] = [];
    for (const [index, cell] of cells.entries()) {
      const value = texts.has(index) ? this.form.textOf(cell) : this.form.valueOf(cell);
      if (!hasValue(value)) continue;
      const name = names[index];
      if (name === undefined || name === '') throw this.fault(line, `has a value in column ${index + 1}, which has no name`);
      values.push([name, value.value]);
    }
    return Object.fromEntries(values);
  }

  private listOf(cells: readonly (C | undefined)[]): ScriptRow {
    return Array.from(cells, (cell) => {
      const value = this.form.valueOf(cell);
      return hasValue(value) ? value.value : null;
    });
  }

  private fault(line: number, issue: string): Error {
    return invalid(`${this.form.place} ${line} ${issue}`);
  }
}

interface BatchTerms {
  /** Nobody wants them any more. */
  readonly signal?: AbortSignal | undefined;
  /** What rows weigh together. */
  readonly most?: number | undefined;
}

/** Rows as JSON of arrays. Ends what it reads when it is ended. */
export async function* rowBatches<C>(parts: TableRows<C>, rows: ScriptRows<C>, { signal, most = ROWS_BYTES }: BatchTerms): AsyncGenerator<string, void> {
  let texts: string[] = [];
  let bytes = 0;
  for await (const part of parts) {
    signal?.throwIfAborted();
    for (const row of rows.take(part)) {
      const text = JSON.stringify(row);
      const size = Buffer.byteLength(text) + 1;
      if (size > ROW_BYTES) throw tooLarge(`A row has more than ${ROW_BYTES} bytes as JSON, and no more is given to a script`);
      if (bytes + size > most && texts.length > 0) {
        yield `[${texts.join(',')}]`;
        [texts, bytes] = [[], 0];
      }
      texts.push(text);
      bytes += size;
    }
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`;
}
