import { Turn } from '@twinyard/conventions';
import { Deadline } from '../../deadline';
import { AT_ONCE } from '../bounds';

/** How one pipeline works at many rows: one by one, so that others have their turn in between, and no longer than till its deadline. */
export class Pace {
  constructor(private readonly deadline = new Deadline(), private readonly turn: Pick<Turn, 'isOver' | 'pass'> = new Turn()) {}

  /** Whether others should have their turn: `if (pace.isDue) await pace.rest()` between two steps of long work. */
  get isDue(): boolean {
    return this.turn.isOver;
  }

  /** Errors: `query_too_slow`. */
  async rest(): Promise<void> {
    await this.turn.pass();
    this.deadline.check();
  }

  /** For work that waits of its own accord, as for a disk. Errors: `query_too_slow`. */
  check(): void {
    this.deadline.check();
  }

  /** The rows, which are taken one by one as they are made, some at a time. Errors: `query_too_slow`. */
  async *slices<T>(rows: Iterable<T>): AsyncGenerator<readonly T[], void> {
    let some: T[] = [];
    for (const row of rows) {
      some.push(row);
      if (this.isDue) await this.rest();
      if (some.length < AT_ONCE) continue;
      this.deadline.check();
      yield some;
      some = [];
    }
    this.deadline.check();
    if (some.length > 0) yield some;
  }
}
