import { invalid, limitExceeded } from '@twinyard/conventions';
import { MAX_COLUMNS } from '@twinyard/xlsx';

/** Cells of some rows, as the script gave them. */
export type CellSlice = readonly (readonly unknown[])[];

/** Of one file: a row of a script may be empty, and be as wide as the others all the same. */
const MAX_CELLS = 50_000_000;
/** That are worked at before others have their turn. */
const SLICE_CELLS = 20_000;

/** Cells of rows that a script writes, each an object or a list. They may be anything else: whoever writes them may be hostile. */
export class WrittenRows {
  private readonly places: ReadonlyMap<string, number> | undefined;
  private row = 0;
  private cells = 0;

  private constructor(readonly header: readonly string[] | undefined, private readonly isGiven: boolean) {
    this.places = header && new Map(header.map((name, index) => [name, index]));
  }

  /** `columns`: as the script names them. Else the first rows have all columns that there are; of lists there are no names then. @throws ServiceError `invalid` */
  static of(columns: readonly string[] | undefined, first: readonly unknown[]): WrittenRows {
    if (columns !== undefined) return new WrittenRows(checked(columns), true);
    const isOfLists = first.length === 0 || Array.isArray(first[0]);
    return new WrittenRows(isOfLists ? undefined : checked([...new Set(first.flatMap(namesIn))]), false);
  }

  *slices(rows: readonly unknown[]): Generator<CellSlice> {
    let [slice, size]: [unknown[][], number] = [[], 0];
    for (const row of rows) {
      const cells = this.cellsOf(row);
      slice.push(cells);
      size += cells.length + 1;
      if (size < SLICE_CELLS) continue;
      yield slice;
      [slice, size] = [[], 0];
    }
    if (slice.length > 0) yield slice;
  }

  private cellsOf(row: unknown): unknown[] {
    this.row += 1;
    const cells = Array.isArray(row) ? this.listed(row) : this.named(row);
    this.cells += cells.length;
    if (this.cells > MAX_CELLS) throw limitExceeded(`A script writes at most ${MAX_CELLS} cells to a file`);
    return cells;
  }

  private listed(row: readonly unknown[]): unknown[] {
    if (this.header !== undefined && !this.isGiven) throw this.fault('is an array, and the first rows are objects');
    const most = this.header?.length ?? MAX_COLUMNS;
    if (row.length > most) throw this.fault(`has ${row.length} cells, and there are ${most} columns`);
    return [...row];
  }

  private named(row: unknown): unknown[] {
    if (row === null || typeof row !== 'object') throw this.fault('is neither an object nor an array');
    if (this.places === undefined) throw this.fault('is an object, and the first rows are arrays: name their columns with "columns"');
    const cells = new Array<unknown>(this.places.size).fill(undefined);
    for (const [name, value] of Object.entries(row)) {
      const place = this.places.get(name);
      if (place !== undefined) cells[place] = value;
      else if (!this.isGiven) throw this.fault(`has ${JSON.stringify(name.slice(0, 100))}, which none of the first rows has: name the columns with "columns"`);
    }
    return cells;
  }

  private fault(issue: string): Error {
    return invalid(`row ${this.row} ${issue}`);
  }
}

const namesIn = (row: unknown): readonly string[] => (row !== null && typeof row === 'object' && !Array.isArray(row) ? Object.keys(row) : []);

function checked(names: readonly string[]): readonly string[] {
  if (names.length > MAX_COLUMNS) throw invalid(`The rows have ${names.length} columns, and a file has at most ${MAX_COLUMNS}`);
  if (names.includes('')) throw invalid('A column needs a name');
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw invalid(`Two columns are named ${JSON.stringify(name.slice(0, 100))}`);
    seen.add(name);
  }
  return names;
}
