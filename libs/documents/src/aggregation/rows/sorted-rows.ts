import type { AnyObject } from 'mingo/types';
import { SORT_RUN } from '../bounds';
import { orderOf } from '../order';
import type { HeldRows } from './held-rows';
import type { Pace } from './pace';

export interface SortedRow {
  readonly row: AnyObject;
  /** What it is sorted by, the first before the others. */
  readonly values: readonly unknown[];
  /** About what it takes in memory. */
  readonly bytes: number;
}

type Run = SortedRow[];

interface Circumstances {
  readonly held: HeldRows;
  readonly pace: Pace;
  /** How many rows are wanted. */
  readonly most?: number;
}

/** Rows in the order of their values; ties keep their order. They are sorted in short runs, which are joined in as many turns as it takes. Of more rows than are wanted the first are kept. */
export class SortedRows {
  private readonly held: HeldRows;
  private readonly pace: Pace;
  private readonly most: number;
  private fresh: SortedRow[] = [];
  private freshBytes = 0;
  private runs: Run[] = [];
  /** Of the runs that came since they were joined. */
  private joinable = 0;

  constructor(private readonly directions: readonly (1 | -1)[], { held, pace, most = Number.POSITIVE_INFINITY }: Circumstances) {
    [this.held, this.pace, this.most] = [held, pace, most];
  }

  /** Errors: `limit_exceeded`, `query_too_slow`. */
  async add(row: SortedRow): Promise<void> {
    this.held.take(row.bytes);
    this.fresh.push(row);
    this.freshBytes += row.bytes;
    if (this.fresh.length < SORT_RUN.rows && this.freshBytes < SORT_RUN.bytes) return;
    this.endRun();
    // Where only the first are wanted, the others are let go of again and again; otherwise runs are joined at the end.
    if (this.most < Number.POSITIVE_INFINITY && this.joinable >= SORT_RUN.bytes) await this.join();
  }

  /** All, or as many as are wanted. They are held still (`givenOn`). */
  async all(): Promise<SortedRow[]> {
    this.endRun();
    await this.join();
    const [all = []] = this.runs.splice(0);
    return all;
  }

  private endRun(): void {
    if (this.fresh.length === 0) return;
    const run = this.cut(this.fresh.sort((one, other) => this.order(one, other)));
    this.runs.push(run);
    this.joinable += run.reduce((sum, { bytes }) => sum + bytes, 0);
    [this.fresh, this.freshBytes] = [[], 0];
  }

  /** Into one, always two neighbours. */
  private async join(): Promise<void> {
    while (this.runs.length > 1) {
      const joined: Run[] = [];
      for (let at = 0; at < this.runs.length; at += 2) joined.push(this.cut(await this.merged(this.runs[at] ?? [], this.runs[at + 1] ?? [])));
      this.runs = joined;
    }
    this.joinable = 0;
  }

  private cut(rows: SortedRow[]): Run {
    for (const { bytes } of rows.splice(this.most)) this.held.give(bytes);
    return rows;
  }

  private async merged(left: Run, right: Run): Promise<SortedRow[]> {
    const rows: SortedRow[] = [];
    let [one, other] = [0, 0];
    while (one < left.length || other < right.length) {
      if (this.pace.isDue) await this.pace.rest();
      const isLeft = other >= right.length || (one < left.length && this.order(left[one] as SortedRow, right[other] as SortedRow) <= 0);
      rows.push((isLeft ? left[one++] : right[other++]) as SortedRow);
    }
    return rows;
  }

  private order(one: SortedRow, other: SortedRow): number {
    for (const [place, direction] of this.directions.entries()) {
      const order = direction * orderOf(one.values[place], other.values[place]);
      if (order !== 0) return order;
    }
    return 0;
  }
}
