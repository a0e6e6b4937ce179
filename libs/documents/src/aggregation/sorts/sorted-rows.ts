import type { AnyObject } from 'mingo/types';
import { SORT_RUN } from '../bounds';
import { orderOf } from '../order';
import { givenOn, type HeldRows } from '../rows/held-rows';
import type { Pace } from '../rows/pace';
import type { SortShare } from './sort-space';
import { bytesOfRows, type SortedRow } from './sorted-row';
import { WrittenRuns } from './written-runs';

export interface SortCircumstances {
  readonly held: HeldRows;
  readonly pace: Pace;
  /** The disk for what is too much to be held. */
  readonly share: SortShare;
}

type Run<T> = SortedRow<T>[];

/**
 * Rows in the order of their values; ties keep their order. They are sorted in short runs, which are joined in as many turns as it takes. Of more rows than are wanted the
 * first are kept, and what is too much to be held is written to disk as one run.
 */
export class SortedRows<T = AnyObject> {
  private readonly held: HeldRows;
  private readonly pace: Pace;
  private fresh: Run<T> = [];
  private freshBytes = 0;
  private runs: Run<T>[] = [];
  /** Of the runs that came since they were joined. */
  private joinable = 0;
  /** Of what is in memory. */
  private ownBytes = 0;
  private added = 0;
  private readonly written: WrittenRuns<T>;
  private isWritten = false;

  /** `most`: how many rows are wanted. */
  constructor(private readonly directions: readonly (1 | -1)[], { held, pace, share }: SortCircumstances, private readonly most = Number.POSITIVE_INFINITY) {
    [this.held, this.pace] = [held, pace];
    this.written = new WrittenRuns((one, other) => this.order(one, other), { pace, share, most });
  }

  /** How many rows there will be. */
  get size(): number {
    return Math.min(this.added, this.most);
  }

  /** Errors: `limit_exceeded`, `query_too_slow`, `insufficient_storage`. */
  async add(row: SortedRow<T>): Promise<void> {
    if (!this.held.hasRoom(row.bytes, this.ownBytes)) await this.makeRoom(row.bytes);
    this.held.take(row.bytes, this.ownBytes);
    this.ownBytes += row.bytes;
    this.added += 1;
    this.fresh.push(row);
    this.freshBytes += row.bytes;
    if (this.fresh.length < SORT_RUN.rows && this.freshBytes < SORT_RUN.bytes) return;
    this.endRun();
    // Where only the first are wanted, the others are let go of again and again; otherwise runs are joined at the end.
    if (this.most < Number.POSITIVE_INFINITY && this.joinable >= SORT_RUN.bytes) await this.join();
  }

  /** All, or as many as are wanted, some at a time. Those that have gone on are held no more. Errors: those of `add`. */
  async *inOrder(): AsyncGenerator<readonly SortedRow<T>[], void> {
    if (this.isWritten) {
      await this.write();
      yield* this.written.inOrder();
    } else yield* this.pace.slices(givenOn(await this.inMemory(), this.held));
  }

  /** Whoever has made it has to, also where not all rows were read: it gives the disk back. */
  close(): Promise<void> {
    return this.written.close();
  }

  /** On disk, unless half of what is held is more than is wanted. */
  private async makeRoom(bytes: number): Promise<void> {
    const before = this.ownBytes;
    this.endRun();
    if (this.most < Number.POSITIVE_INFINITY) await this.join();
    if (2 * this.ownBytes > before || !this.held.hasRoom(bytes, this.ownBytes)) await this.write();
  }

  private async write(): Promise<void> {
    const rows = await this.inMemory();
    if (rows.length === 0) return;
    this.isWritten = true;
    await this.written.add(rows);
    this.give(this.ownBytes);
  }

  /** As one run. */
  private async inMemory(): Promise<Run<T>> {
    this.endRun();
    await this.join();
    const [all = []] = this.runs.splice(0);
    return all;
  }

  private endRun(): void {
    if (this.fresh.length === 0) return;
    const run = this.cut(this.fresh.sort((one, other) => this.order(one, other)));
    this.runs.push(run);
    this.joinable += bytesOfRows(run);
    [this.fresh, this.freshBytes] = [[], 0];
  }

  /** Into one, always two neighbours. */
  private async join(): Promise<void> {
    while (this.runs.length > 1) {
      const joined: Run<T>[] = [];
      for (let at = 0; at < this.runs.length; at += 2) joined.push(this.cut(await this.merged(this.runs[at] ?? [], this.runs[at + 1] ?? [])));
      this.runs = joined;
    }
    this.joinable = 0;
  }

  private cut(rows: Run<T>): Run<T> {
    this.give(bytesOfRows(rows.splice(this.most)));
    return rows;
  }

  private give(bytes: number): void {
    this.held.give(bytes);
    this.ownBytes -= bytes;
  }

  private async merged(left: Run<T>, right: Run<T>): Promise<Run<T>> {
    const rows: Run<T> = [];
    let [one, other] = [0, 0];
    while (one < left.length || other < right.length) {
      if (this.pace.isDue) await this.pace.rest();
      const isLeft = other >= right.length || (one < left.length && this.order(left[one] as SortedRow<T>, right[other] as SortedRow<T>) <= 0);
      rows.push((isLeft ? left[one++] : right[other++]) as SortedRow<T>);
    }
    return rows;
  }

  private order(one: SortedRow<unknown>, other: SortedRow<unknown>): number {
    for (const [place, direction] of this.directions.entries()) {
      const order = direction * orderOf(one.values[place], other.values[place]);
      if (order !== 0) return order;
    }
    return 0;
  }
}
