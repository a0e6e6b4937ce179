import type { Point } from '../scene';

export interface Contours {
  /** Closed rings, outer ones counter-clockwise, holes clockwise: filled by the nonzero rule. */
  readonly rings: readonly (readonly Point[])[];
  /** What does not close, from bodies with gaps: a line, not an area. */
  readonly strays: readonly (readonly Point[])[];
}

/** Rings have at most this many edges in sum; what is beyond is no plan that a person could read. */
const MAX_EDGES = 400_000;
/** Ends that are so many steps of the grid apart are one point to the eye. */
const NEAR = 40;
const MAX_JOINS = 200;
const ROW = 2 ** 26;

interface Edge {
  readonly from: number;
  readonly to: number;
}

/**
 * Directed edges on a fine grid. An edge and its reverse annul each other, so the shared sides of triangles and of touching
 * bodies vanish, and what is left is the outline.
 */
export class EdgeChain {
  /** Net count of an edge: +1 for from → to with from < to, -1 for the reverse. */
  private readonly net = new Map<number, Map<number, number>>();
  private count = 0;

  constructor(private readonly origin: Point, private readonly step: number) {}

  add(from: Point, to: Point): void {
    const [a, b] = [this.key(from), this.key(to)];
    if (a === undefined || b === undefined || a === b || this.count >= MAX_EDGES) return;
    this.count++;
    const [low, high] = a < b ? [a, b] : [b, a];
    const row = this.net.get(low) ?? new Map<number, number>();
    this.net.set(low, row);
    row.set(high, (row.get(high) ?? 0) + (a < b ? 1 : -1));
  }

  contours(): Contours {
    const chains = new ChainWalk(this.edges()).walk();
    const rings = chains.filter(isRing);
    const joined = joinEnds(chains.filter((chain) => !isRing(chain)));
    const points = (chain: readonly number[]) => chain.map((key) => this.point(key));
    return {
      rings: [...rings, ...joined.filter(isRing)].map((chain) => points(chain.slice(0, -1))),
      strays: joined.filter((chain) => !isRing(chain)).map(points),
    };
  }

  private edges(): Edge[] {
    const edges: Edge[] = [];
    for (const [low, row] of this.net) {
      for (const [high, net] of row) {
        for (let copy = Math.abs(net); copy > 0; copy--) edges.push(net > 0 ? { from: low, to: high } : { from: high, to: low });
      }
    }
    return edges;
  }

  /** `undefined` for what lies beyond the grid, which is a thousand times as wide as a picture. */
  private key({ x, y }: Point): number | undefined {
    const column = Math.round((x - this.origin.x) / this.step) + ROW / 2;
    const row = Math.round((y - this.origin.y) / this.step) + ROW / 2;
    return column >= 0 && column < ROW && row >= 0 && row < ROW ? column * ROW + row : undefined;
  }

  private point(key: number): Point {
    const [column, row] = gridOf(key);
    return { x: this.origin.x + column * this.step, y: this.origin.y + row * this.step };
  }
}

const gridOf = (key: number): [number, number] => [Math.floor(key / ROW) - ROW / 2, (key % ROW) - ROW / 2];
const isRing = (chain: readonly number[]) => chain.length > 3 && chain[0] === chain.at(-1);

/** Follows edges head to tail until no edge is left. */
class ChainWalk {
  private readonly leaving = new Map<number, number[]>();
  private readonly entering = new Map<number, number>();

  constructor(private readonly edges: readonly Edge[]) {
    for (const { from, to } of edges) {
      const row = this.leaving.get(from) ?? [];
      this.leaving.set(from, row);
      row.push(to);
      this.entering.set(to, (this.entering.get(to) ?? 0) + 1);
    }
  }

  /** Chains with a loose end first, from it: started in the middle they would fall into two. */
  walk(): number[][] {
    const loose = this.edges.filter(({ from }) => (this.leaving.get(from)?.length ?? 0) > (this.entering.get(from) ?? 0));
    const chains: number[][] = [];
    for (const { from } of [...loose, ...this.edges]) {
      const chain = this.follow(from);
      if (chain.length > 1) chains.push(...splitAtCrossings(chain));
    }
    return chains;
  }

  private follow(start: number): number[] {
    const chain = [start];
    for (let at = this.leaving.get(start)?.pop(); at !== undefined; at = this.leaving.get(at)?.pop()) {
      chain.push(at);
      if (at === start) break;
    }
    return chain;
  }
}

/** A walk that meets one of its own points has closed a ring there. */
function splitAtCrossings(chain: readonly number[]): number[][] {
  const found: number[][] = [];
  const path: number[] = [];
  const placeOf = new Map<number, number>();
  for (const key of chain) {
    const met = placeOf.get(key);
    path.push(key);
    if (met === undefined) {
      placeOf.set(key, path.length - 1);
      continue;
    }
    const ring = path.splice(met + 1);
    ring.forEach((passed) => placeOf.delete(passed));
    placeOf.set(key, met);
    found.push([key, ...ring]);
  }
  if (path.length > 1) found.push(path);
  return found;
}

/** Rounding may part two ends that are one: each chain takes the nearest start that is near enough. */
function joinEnds(chains: readonly (readonly number[])[]): number[][] {
  const waiting = chains.slice(0, MAX_JOINS).map((chain) => [...chain]);
  const done: number[][] = [];
  for (let chain = waiting.pop(); chain !== undefined; chain = waiting.pop()) {
    let next = nearest(chain, waiting);
    for (; next !== undefined && next !== chain; next = nearest(chain, waiting)) {
      waiting.splice(waiting.indexOf(next), 1);
      chain.push(...next);
    }
    if (next === chain) chain.push(chain[0] as number);
    done.push(chain);
  }
  return done;
}

function nearest(chain: number[], waiting: readonly number[][]): number[] | undefined {
  const end = chain.at(-1) as number;
  let [best, least]: [number[] | undefined, number] = [undefined, NEAR];
  for (const other of chain.length > 2 ? [chain, ...waiting] : waiting) {
    const gap = distance(end, other[0] as number);
    if (gap > least) continue;
    [best, least] = [other, gap];
  }
  return best;
}

function distance(a: number, b: number): number {
  const [[ax, ay], [bx, by]] = [gridOf(a), gridOf(b)];
  return Math.hypot(ax - bx, ay - by);
}
