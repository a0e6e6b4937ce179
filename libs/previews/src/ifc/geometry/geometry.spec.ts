import { block, element, turnedOver } from '../../../test/solids';
import type { Point, Solid } from '../scene';
import { type Contours, EdgeChain } from './contours';
import { regionOf } from './region';
import { cut, sectionArea, sectionOf, silhouetteOf } from './section';
import { outwards } from './winding';

const chain = () => new EdgeChain({ x: 0, y: 0 }, 1e-5);
const section = (height: number, ...solids: readonly Solid[]): Contours => {
  const edges = chain();
  solids.forEach((solid) => sectionOf(solid, height, edges));
  return edges.contours();
};
const silhouette = (solid: Solid): Contours => {
  const edges = chain();
  silhouetteOf(solid, edges);
  return edges.contours();
};
const area = (ring: readonly Point[]) => ring.reduce((sum, { x, y }, at) => {
  const after = ring[(at + 1) % ring.length] as Point;
  return sum + (x * after.y - after.x * y) / 2;
}, 0);
const areas = ({ rings }: Contours) => rings.map((ring) => Math.round(area(ring) * 1e6) / 1e6);
const everyTriangle = Array.from({ length: 12 }, (_, at) => at);

describe('a section', () => {
  it('is one ring around the body, counter-clockwise', () => {
    expect(areas(section(0.5, block([0, 0, 0], [2, 3, 1])))).toEqual([6]);
  });

  it.each([0, 1])('closes where the plane touches a face, at %d', (height) => {
    expect(section(height, block([0, 0, 0], [2, 3, 1])).strays).toEqual([]);
  });

  it('is empty above and below', () => {
    expect([-1, 2].map((height) => section(height, block([0, 0, 0], [2, 3, 1])))).toEqual([{ rings: [], strays: [] }, { rings: [], strays: [] }]);
  });

  it('has no line between bodies that touch', () => {
    expect(areas(section(0.5, block([0, 0, 0], [2, 3, 1]), block([2, 0, 0], [4, 3, 1])))).toEqual([12]);
  });

  it('runs the other way round a hole', () => {
    const hole = turnedOver(block([1, 1, 0], [2, 2, 1]), everyTriangle);
    expect(areas(section(0.5, block([0, 0, 0], [3, 3, 1]), hole)).sort()).toEqual([-1, 9]);
  });

  it('of a body with a gap is a line, not an area', () => {
    const { positions, indices } = block([0, 0, 0], [2, 3, 1]);
    const { rings, strays } = section(0.5, { positions, indices: indices.slice(0, 30) });
    expect(rings).toEqual([]);
    expect(strays).toHaveLength(1);
  });

  it('closes over a gap that no eye sees', () => {
    const far = block([0, 0, 0], [2, 3, 1]);
    const shifted = far.positions.map((value, at) => (at === 3 ? value + 5e-5 : value));
    const open = { positions: Float64Array.from([...far.positions, ...shifted]), indices: far.indices.map((index, at) => (at >= 30 ? index + 8 : index)) };
    expect(areas(section(0.5, open))).toEqual([expect.closeTo(6, 3)]);
  });

  it('has its area without being joined, inside out or not', () => {
    const solid = block([0, 0, 0], [2, 3, 1]);
    expect([solid, turnedOver(solid, everyTriangle)].map((body) => sectionArea(body, 0.5))).toEqual([expect.closeTo(6), expect.closeTo(6)]);
  });

  it('gives both triangles of a side the same point, to the last bit', () => {
    const points: string[] = [];
    cut(block([0.1, 0.2, 0.3], [7.7, 3.1, 2.9]), 1.2345, (from, to) => points.push(`${from.x} ${from.y}`, `${to.x} ${to.y}`));
    expect(new Set(points).size).toBe(points.length / 2);
  });
});

describe('a silhouette', () => {
  it('is the outline of what faces upwards', () => {
    expect(areas(silhouette(block([0, 0, 0], [2, 3, 1])))).toEqual([6]);
  });

  it('shows each step of a stair', () => {
    const steps = [0, 1, 2].map((at) => block([at, 0, 0], [at + 1, 2, (at + 1) * 0.2]));
    expect(steps.flatMap((step) => areas(silhouette(step)))).toEqual([2, 2, 2]);
  });
});

describe('the order of corners', () => {
  const solid = block([0, 0, 0], [2, 3, 1]);

  it.each([[[0, 1]], [[2, 3]], [[0, 3, 5, 7]], [everyTriangle]])('is put right where triangles %j are turned over', (triangles) => {
    const put = outwards(turnedOver(solid, triangles));
    expect(areas(silhouette(put))).toEqual([6]);
    expect(areas(section(0.5, put))).toEqual([6]);
  });

  it('is left alone where it is right, with the hollow inside', () => {
    const hollow = turnedOver(block([0.5, 0.5, 0.2], [1.5, 2.5, 0.8]), everyTriangle);
    const both = { positions: Float64Array.from([...solid.positions, ...hollow.positions]), indices: Uint32Array.from([...solid.indices, ...hollow.indices.map((index) => index + 8)]) };
    expect(outwards(both).indices).toEqual(both.indices);
  });

  it('of a flat piece that contradicts itself is upwards', () => {
    const top = { positions: solid.positions, indices: solid.indices.slice(6, 12) };
    expect(areas(silhouette(outwards(turnedOver(top, [0]))))).toEqual([6]);
  });

  it('survives triangles without end and indices past it', () => {
    expect(outwards({ positions: new Float64Array(9), indices: Uint32Array.from([0, 1, 2, 0, 1]) }).indices).toHaveLength(3);
    expect(areas(section(0.5, outwards({ positions: new Float64Array(9), indices: Uint32Array.from([7, 8, 9]) })))).toEqual([]);
  });
});

describe('the region of a drawing', () => {
  const walls = [0, 5, 10].map((x, id) => element(id, 'wall', block([x, 0, 0], [x + 1, 4, 3])));

  it('holds what stands together, without what lies far away', () => {
    const region = regionOf([...walls, element(9, 'wall', block([5e6, 0, 0], [5e6 + 1, 1, 1]))]);
    expect(region?.middle).toEqual({ x: 5.5, y: 2 });
  });

  it('of nothing is nowhere', () => {
    expect(regionOf([])).toBeUndefined();
  });
});
