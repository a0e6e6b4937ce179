/** What is drawn of a model: its elements as triangles, in metres, z up. Nothing here knows the parser. */

/** How an element is shown: cut through, as glass or a leaf in a wall, or seen from above. */
export type Role = 'wall' | 'column' | 'door' | 'window' | 'slab' | 'stair' | 'space' | 'furniture' | 'proxy' | 'other';

/** One closed body, if the file is right. */
export interface Solid {
  /** x, y, z of each vertex; of double precision, since models lie where surveyors put them. */
  readonly positions: Float64Array;
  /** Three per triangle, counter-clockwise as seen from outside. */
  readonly indices: Uint32Array;
}

export interface Box {
  readonly minX: number;
  readonly minY: number;
  readonly minZ: number;
  readonly maxX: number;
  readonly maxY: number;
  readonly maxZ: number;
}

export interface SceneElement {
  /** Number of the entity in the file. */
  readonly id: number;
  readonly role: Role;
  readonly solids: readonly Solid[];
  readonly box: Box;
  readonly swing?: Swing;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The leaves of a door that swings: where each hangs, where its free edge is when shut, and when open. */
export type Swing = readonly { readonly hinge: Point; readonly shut: Point; readonly open: Point }[];

export interface Storey {
  /** Above the building's own zero, in the file's unit: only compared with others. */
  readonly elevation: number;
  readonly members: ReadonlySet<number>;
}

export interface Scene {
  readonly elements: readonly SceneElement[];
  readonly storeys: readonly Storey[];
}

export function boxOf(solids: readonly Solid[]): Box | undefined {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (const { positions } of solids) {
    for (let at = 0; at < positions.length; at++) {
      const value = positions[at] as number;
      const axis = at % 3;
      if (value < (min[axis] as number)) min[axis] = value;
      if (value > (max[axis] as number)) max[axis] = value;
    }
  }
  const [minX, minY, minZ, maxX, maxY, maxZ] = [...min, ...max] as [number, number, number, number, number, number];
  return minX <= maxX ? { minX, minY, minZ, maxX, maxY, maxZ } : undefined;
}

/** The longer side on the ground: what an element weighs in questions of floors and directions. */
export const spanOf = (box: Box): number => Math.max(box.maxX - box.minX, box.maxY - box.minY);
