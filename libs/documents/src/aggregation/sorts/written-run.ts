import { deserialize, serialize } from 'node:v8';
import type { Piece, ScratchFile } from './scratch-file';
import { bytesOfRows, type SortedRow } from './sorted-row';

/**
 * Rows in their order, in a file. They are written by blocks, as V8 clones values: dates, `undefined`, `-0` and halves of characters come
 * back as they were, which as JSON they would not.
 */
export class WrittenRun<T> {
  private readonly blocks: Piece[] = [];
  private heaviest = 0;

  constructor(private readonly file: ScratchFile) {}

  /** About what it takes in memory of whoever reads it: a block at a time. */
  get bytesAtOnce(): number {
    return this.heaviest;
  }

  /** Errors: those of `ScratchFile.append`. */
  async add(rows: readonly SortedRow<T>[]): Promise<void> {
    this.blocks.push(await this.file.append(serialize(rows)));
    this.heaviest = Math.max(this.heaviest, bytesOfRows(rows));
  }

  /** `undefined` behind the last one. */
  async block(number: number): Promise<readonly SortedRow<T>[] | undefined> {
    const piece = this.blocks[number];
    return piece && (deserialize(await this.file.read(piece)) as readonly SortedRow<T>[]);
  }
}

/** Reads a run row by row. */
export class RunReader<T> {
  private rows: readonly SortedRow<T>[] = [];
  private place = 0;
  private blocks = 0;

  /** `number`: which of all runs it is; of rows that are equal those of the first come first. */
  constructor(private readonly run: WrittenRun<T>, readonly number: number) {}

  /** The row that it stands at. */
  get row(): SortedRow<T> {
    return this.rows[this.place] as SortedRow<T>;
  }

  /** Goes on to the next row, at the beginning to the first one; says whether there is one. */
  async next(): Promise<boolean> {
    this.place += 1;
    if (this.place < this.rows.length) return true;
    this.rows = (await this.run.block(this.blocks)) ?? [];
    this.blocks += 1;
    this.place = 0;
    return this.rows.length > 0;
  }
}
