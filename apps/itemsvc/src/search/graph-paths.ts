import { limitExceeded } from '@twinyard/conventions';

/** One kind of step along relations. */
export interface PathSegment {
  readonly as: string;
  /** The segment whose nodes it starts at; absent: the rows of the start. */
  readonly from?: string;
  /** How often in a row it is gone, at least and at most. */
  readonly minDepth: number;
  readonly maxDepth: number;
}

/** For each segment: where one step of it leads from a node. */
export type Steps = ReadonlyMap<PathSegment, ReadonlyMap<string, readonly string[]>>;

/** Answers hold no more than this many paths. */
const MAX_PATHS = 100_000;
/** What is looked at to find them: in a dense graph with cycles most beginnings may come to nothing. */
const MAX_STEPS = 2_000_000;

interface Position {
  readonly segment: PathSegment;
  readonly depth: number;
}

/**
 * All paths from a node that cannot be made longer, none of which comes by a node twice. A path may end only where its last segment
 * has been gone often enough.
 */
export class Paths {
  private pathsLeft = MAX_PATHS;
  private stepsLeft = MAX_STEPS;

  constructor(private readonly segments: readonly PathSegment[], private readonly steps: Steps) {}

  from(start: string): string[][] {
    const found: string[][] = [];
    this.walk([start], undefined, found);
    return found.map((path) => path.slice(1));
  }

  /** The number of paths that were found to go on from here. */
  private walk(path: readonly string[], at: Position | undefined, found: string[][]): number {
    this.spend('stepsLeft', 'ways through it');
    const node = path[path.length - 1] as string;
    let longer = 0;
    for (const position of this.onwards(at)) {
      for (const to of this.steps.get(position.segment)?.get(node) ?? []) {
        if (!path.includes(to)) longer += this.walk([...path, to], position, found);
      }
    }
    if (longer > 0 || at === undefined || at.depth < at.segment.minDepth) return longer;
    this.spend('pathsLeft', 'paths');
    found.push([...path]);
    return 1;
  }

  private spend(budget: 'pathsLeft' | 'stepsLeft', what: string): void {
    this[budget] -= 1;
    if (this[budget] < 0) throw limitExceeded(`The graph has more ${what} than an answer can hold; narrow the start or the segments`, 'body');
  }

  private onwards(at: Position | undefined): Position[] {
    const again = at !== undefined && at.depth < at.segment.maxDepth ? [{ segment: at.segment, depth: at.depth + 1 }] : [];
    const isThrough = at === undefined || at.depth >= at.segment.minDepth;
    const others = isThrough ? this.segments.filter(({ from }) => from === at?.segment.as) : [];
    return [...again, ...others.map((segment) => ({ segment, depth: 1 }))];
  }
}
