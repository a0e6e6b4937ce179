import { boxOf, type Role, type SceneElement, type Solid } from '../src/ifc/scene';

type Corner = readonly [x: number, y: number, z: number];

/** Corners of a block by their bits (1 = far x, 2 = far y, 4 = top), counter-clockwise from outside. */
const SIDES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] as const;

export function block(from: Corner, to: Corner): Solid {
  const corners = Array.from({ length: 8 }, (_, bits) => [0, 1, 2].map((axis) => ((bits >> axis) & 1 ? to : from)[axis] as number));
  const triangles = SIDES.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
  return { positions: Float64Array.from(corners.flat()), indices: Uint32Array.from(triangles) };
}

/** With the triangles of these numbers turned over. */
export function turnedOver({ positions, indices }: Solid, triangles: readonly number[]): Solid {
  const turned = indices.slice();
  for (const triangle of triangles) [turned[triangle * 3], turned[triangle * 3 + 1]] = [turned[triangle * 3 + 1] as number, turned[triangle * 3] as number];
  return { positions, indices: turned };
}

export function element(id: number, role: Role, ...solids: readonly Solid[]): SceneElement {
  const box = boxOf(solids);
  if (box === undefined) throw new Error('An element has a body');
  return { id, role, solids, box };
}
