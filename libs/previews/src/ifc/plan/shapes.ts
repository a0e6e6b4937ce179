import { type Contours, EdgeChain } from '../geometry/contours';
import type { Side } from './fit';
import type { Layer } from './plan-svg';
import type { Region } from '../geometry/region';
import type { Point, SceneElement, Solid } from '../scene';
import { outwards } from '../geometry/winding';

/** An element, ready to be drawn. */
export interface Shape {
  readonly layer: Layer;
  readonly contours: Contours;
}

/** The bodies of an element one by one, as bodies may overlap, and rings of one must not annul those of another. */
export function contoursOf({ solids }: SceneElement, region: Region, trace: (solid: Solid, chain: EdgeChain) => void): Contours {
  const traced = solids.map((solid) => {
    const chain = new EdgeChain(region.middle, region.grain);
    trace(outwards(solid), chain);
    return chain.contours();
  });
  return { rings: traced.flatMap(({ rings }) => rings), strays: traced.flatMap(({ strays }) => strays) };
}

export const linesOf = ({ rings, strays }: Contours): (readonly Point[])[] => [...rings, ...strays];

export function sidesOf(line: readonly Point[]): Side[] {
  return line.slice(1).map((to, at) => ({ from: line[at] as Point, to }));
}
