import type { ItemValue } from '../file-columns/cell-values';

/** A row of a file as it was read: its cells, or why there are none. */
export type TableRow<C> =
  | { readonly line: number; readonly cells: readonly (C | undefined)[]; readonly fault?: undefined }
  | { readonly line: number; readonly fault: string };

/** Something other than spaces. */
export const isFilled = (cell: unknown): boolean => (typeof cell === 'string' ? cell.trim() !== '' : cell !== undefined);

export type TableRows<C> = AsyncIterable<readonly TableRow<C>[]>;

/** What the cells of a kind of file mean. */
export interface TableForm<C> {
  /** What a row is told by. */
  readonly place: 'line' | 'row';
  /** Whether each row has a cell for each column. */
  readonly isRectangular: boolean;
  /** Of a column, '' where it has none. */
  nameOf(cell: C | undefined): string;
  /** What names an item: a text without spaces around it, '' where there is none. */
  keyOf(cell: C | undefined): string;
  valueOf(cell: C | undefined): ItemValue;
  /** In a column of texts: digits are no number there. */
  textOf(cell: C | undefined): ItemValue;
}

/** A file that can be gone through several times; its first row names the columns. */
export interface Table<C> {
  readonly form: TableForm<C>;
  through<T>(read: (rows: TableRows<C>) => Promise<T>): Promise<T>;
  /** What is to be said of the file beside its rows, when it was gone through. */
  remarks(): readonly string[];
}
