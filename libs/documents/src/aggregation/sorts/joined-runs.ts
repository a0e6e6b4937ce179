import type { Pace } from '../rows/pace';
import type { RowOrder, SortedRow } from './sorted-row';
import { RunReader, type WrittenRun } from './written-run';

export interface Joining {
  readonly order: RowOrder;
  readonly pace: Pace;
  /** How many rows are wanted. */
  readonly most: number;
  /** About what the blocks weigh in which they are given. */
  readonly blockBytes: number;
}

/** Rows of several runs in their order, in blocks; of those that are equal the ones of the first run come first. Errors: `query_too_slow`. */
export async function* joined<T>(runs: readonly WrittenRun<T>[], { order, pace, most, blockBytes }: Joining): AsyncGenerator<SortedRow<T>[], void> {
  const readers = new Readers<T>(order);
  for (const [number, run] of runs.entries()) {
    pace.check();
    await readers.add(new RunReader(run, number));
  }
  let [block, bytes]: [SortedRow<T>[], number] = [[], 0];
  for (let left = most; left > 0; left -= 1) {
    if (pace.isDue) await pace.rest();
    const row = await readers.take();
    if (row === undefined) break;
    block.push(row);
    bytes += row.bytes;
    if (bytes < blockBytes) continue;
    pace.check();
    yield block;
    [block, bytes] = [[], 0];
  }
  pace.check();
  if (block.length > 0) yield block;
}

/** Those that have rows left, in the order of the rows that they stand at. */
class Readers<T> {
  private readonly list: RunReader<T>[] = [];

  constructor(private readonly order: RowOrder) {}

  async add(reader: RunReader<T>): Promise<void> {
    if (await reader.next()) this.insert(reader);
  }

  /** The first row of all; `undefined`: there are none. */
  async take(): Promise<SortedRow<T> | undefined> {
    const reader = this.list.shift();
    const row = reader?.row;
    if (reader) await this.add(reader);
    return row;
  }

  private insert(reader: RunReader<T>): void {
    let [from, to] = [0, this.list.length];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if (this.isBefore(reader, this.list[middle] as RunReader<T>)) to = middle;
      else from = middle + 1;
    }
    this.list.splice(from, 0, reader);
  }

  private isBefore(one: RunReader<T>, other: RunReader<T>): boolean {
    return (this.order(one.row, other.row) || one.number - other.number) < 0;
  }
}
