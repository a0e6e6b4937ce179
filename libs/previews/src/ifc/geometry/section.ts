import type { EdgeChain } from './contours';
import type { Point, Solid } from '../scene';

interface Vertex extends Point {
  readonly z: number;
}

/** Called for each piece of a triangle that lies in the plane, with the body to its left. */
type TakeEdge = (from: Point, to: Point) => void;

/**
 * Cuts a body at a height. A vertex in the plane counts as above it, for all triangles that share it: so the pieces of a closed
 * body make closed rings, however it touches the plane.
 */
export function cut(solid: Solid, height: number, take: TakeEdge): void {
  const { indices } = solid;
  for (let at = 0; at + 2 < indices.length; at += 3) {
    const corners = [0, 1, 2].map((corner) => vertexOf(solid, indices[at + corner] as number)) as [Vertex, Vertex, Vertex];
    const above = corners.map(({ z }) => z >= height) as [boolean, boolean, boolean];
    const odd = loneCorner(above);
    if (odd === undefined) continue;
    const [alone, next, last] = [corners[odd], corners[(odd + 1) % 3], corners[(odd + 2) % 3]] as [Vertex, Vertex, Vertex];
    const [first, second] = [crossing(alone, next, height), crossing(alone, last, height)];
    if (above[odd]) take(first, second);
    else take(second, first);
  }
}

export function sectionOf(solid: Solid, height: number, chain: EdgeChain): void {
  cut(solid, height, (from, to) => chain.add(from, to));
}

/** Area of the cut; of a body with gaps, nearly. */
export function sectionArea(solid: Solid, height: number): number {
  let [doubled, origin]: [number, Point | undefined] = [0, undefined];
  cut(solid, height, (from, to) => {
    origin ??= from;
    doubled += (from.x - origin.x) * (to.y - origin.y) - (to.x - origin.x) * (from.y - origin.y);
  });
  return Math.abs(doubled) / 2;
}

/** Sides of what faces upwards, seen from above: its outline, with the edges of steps and of table tops. */
export function silhouetteOf(solid: Solid, chain: EdgeChain): void {
  const { indices } = solid;
  for (let at = 0; at + 2 < indices.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) => vertexOf(solid, indices[at + corner] as number)) as [Vertex, Vertex, Vertex];
    if ((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y) <= 0) continue;
    chain.add(a, b);
    chain.add(b, c);
    chain.add(c, a);
  }
}

/** The corner that lies on the other side of the plane than the two others. */
function loneCorner([a, b, c]: readonly [boolean, boolean, boolean]): 0 | 1 | 2 | undefined {
  if (a === b && b === c) return undefined;
  if (a === b) return 2;
  return b === c ? 0 : 1;
}

/** From the lower end always, so that both triangles of a side find the same point. */
function crossing(a: Vertex, b: Vertex, height: number): Point {
  const [low, high] = a.z < b.z ? [a, b] : [b, a];
  const share = (height - low.z) / (high.z - low.z);
  return { x: low.x + (high.x - low.x) * share, y: low.y + (high.y - low.y) * share };
}

function vertexOf({ positions }: Solid, index: number): Vertex {
  return { x: positions[index * 3] ?? 0, y: positions[index * 3 + 1] ?? 0, z: positions[index * 3 + 2] ?? 0 };
}
