import type { AnswerTerms } from '../../script';
import type { CsvText, TableSource, TableTarget, TextForm } from './table-questions';

/** What rows that go to a script together weigh, as JSON in UTF-8; a row that weighs more by itself goes alone. */
export const ROWS_BYTES = 1_000_000;
/** What one row may weigh. */
export const ROW_BYTES = 2 * ROWS_BYTES;

/** Rows of files and texts, for `libraries.csv` and `libraries.xlsx`, with the rights that the script acts with. What is refused is thrown, with `status` and `code`. */
export interface ScriptTables {
  /** Ends with the signal of the terms, which is that of the script. How many are open at once is not said here. */
  open(source: TableSource, terms: AnswerTerms): Promise<ReadTable>;
  create(target: TableTarget, terms: AnswerTerms): Promise<WrittenTable>;
  /** JSON of all rows of a text. */
  parse(text: CsvText): Promise<string>;
  /** Rows as a text. */
  format(rows: readonly unknown[], form: TextForm): Promise<string>;
}

export interface ReadTable {
  /** The next rows: JSON of an array, of at most `ROWS_BYTES`, or of one row. `undefined` where there are no more. */
  next(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface WrittenTable {
  /** Resolves when they have been taken. They may be anything. */
  append(rows: readonly unknown[]): Promise<void>;
  /** The record of the file. */
  finish(): Promise<unknown>;
  /** What is not finished leaves no file. */
  close(): Promise<void>;
}
