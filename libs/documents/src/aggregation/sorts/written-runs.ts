import { AT_ONCE, type JoinBounds, JOINED_RUNS } from '../bounds';
import type { Pace } from '../rows/pace';
import { joined, type Joining } from './joined-runs';
import { ScratchFile } from './scratch-file';
import type { SortShare } from './sort-space';
import { blocksOf, type RowOrder, type SortedRow } from './sorted-row';
import { WrittenRun } from './written-run';

interface Level<T> {
  readonly file: ScratchFile;
  readonly runs: WrittenRun<T>[];
}

interface Circumstances {
  readonly pace: Pace;
  readonly share: SortShare;
  /** How many rows are wanted. */
  readonly most: number;
  readonly bounds?: JoinBounds;
}

/**
 * Runs on disk, each behind those before it. Where there are too many to be read at once they become one of the next level: so few are open
 * at a time, however much is sorted. Each level is a file, so that what was joined gives its disk back.
 */
export class WrittenRuns<T> {
  /** The first has the youngest runs. */
  private readonly levels: Level<T>[] = [];
  private readonly pace: Pace;
  private readonly share: SortShare;
  private readonly bounds: JoinBounds;
  private readonly joining: Joining;

  constructor(order: RowOrder, { pace, share, most, bounds = JOINED_RUNS }: Circumstances) {
    [this.pace, this.share, this.bounds] = [pace, share, bounds];
    this.joining = { order, pace, most, blockBytes: bounds.blockBytes };
  }

  /** Rows in their order that came behind all others. Errors: those of `ScratchFile.append`, `query_too_slow`. */
  async add(rows: readonly SortedRow<T>[]): Promise<void> {
    await this.write(0, blocksOf(rows, this.bounds.blockBytes));
  }

  /** All of them, some at a time. Errors: `query_too_slow`. */
  async *inOrder(): AsyncGenerator<readonly SortedRow<T>[], void> {
    const runs = this.levels.toReversed().flatMap((level) => level.runs);
    for await (const block of joined(runs, this.joining)) {
      for (let at = 0; at < block.length; at += AT_ONCE) yield block.slice(at, at + AT_ONCE);
    }
  }

  /** Gives the disk back. */
  async close(): Promise<void> {
    await Promise.all(this.levels.splice(0).map(({ file }) => file.close()));
  }

  private async write(depth: number, blocks: Iterable<SortedRow<T>[]> | AsyncIterable<SortedRow<T>[]>): Promise<void> {
    const level = await this.level(depth);
    const run = new WrittenRun<T>(level.file);
    for await (const rows of blocks) {
      if (this.pace.isDue) await this.pace.rest();
      this.pace.check();
      await run.add(rows);
    }
    level.runs.push(run);
    if (!this.isFull(level)) return;
    await this.write(depth + 1, joined(level.runs, this.joining));
    level.runs.length = 0;
    await level.file.clear();
  }

  private async level(depth: number): Promise<Level<T>> {
    const known = this.levels[depth];
    if (known !== undefined) return known;
    const level = { file: await ScratchFile.open(this.share), runs: [] };
    this.levels[depth] = level;
    return level;
  }

  private isFull({ runs }: Level<T>): boolean {
    const bytes = runs.reduce((sum, { bytesAtOnce }) => sum + bytesAtOnce, 0);
    return runs.length >= this.bounds.runs || (runs.length > 1 && bytes > this.bounds.bytes);
  }
}
