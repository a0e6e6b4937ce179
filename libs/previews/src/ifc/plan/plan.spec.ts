import { block, element } from '../../../test/solids';
import type { SceneElement, Storey } from '../scene';
import { fit, type Side } from './fit';
import { chooseLevel } from './levels';

/** Four walls around 10 m by 6 m, on a floor. */
const walls = (from: number, floor: number, height = 2.8): SceneElement[] => [
  element(from, 'wall', block([0, 0, floor], [10, 0.3, floor + height])),
  element(from + 1, 'wall', block([0, 5.7, floor], [10, 6, floor + height])),
  element(from + 2, 'wall', block([0, 0.3, floor], [0.3, 5.7, floor + height])),
  element(from + 3, 'wall', block([9.7, 0.3, floor], [10, 5.7, floor + height])),
];
const windows = (from: number, floor: number) => [3, 5].map((x, at) => element(from + at, 'window', block([x, 0, floor + 0.9], [x + 1, 0.3, floor + 2])));
const storey = (elevation: number, ...members: readonly (readonly SceneElement[])[]): Storey => ({ elevation, members: new Set(members.flat().map(({ id }) => id)) });

describe('the storey that people know', () => {
  const [cellar, ground, upper] = [walls(10, 397), walls(20, 400), walls(30, 403)];
  const openings = [...windows(50, 400), ...windows(60, 403)];
  const storeys = [storey(3, upper, openings.slice(2)), storey(0, ground, openings.slice(0, 2)), storey(-3, cellar)];
  const all = [...cellar, ...ground, ...upper, ...openings];

  it('is the ground floor, cut above the sills, wherever the site lies', () => {
    expect(chooseLevel(all, storeys)).toEqual(expect.objectContaining({ floor: 400, cut: 401.2 }));
  });

  it('is not the cellar, also where it is the one nearest to zero', () => {
    expect(chooseLevel(all, [storey(3, ground), storey(0, cellar), storey(6, upper)])).toMatchObject({ floor: 400 });
  });

  it('is not a landing with one wall', () => {
    const landing = [element(1, 'wall', block([0, 0, 398.5], [1, 0.3, 399.4]))];
    expect(chooseLevel([...landing, ...ground, ...openings.slice(0, 2)], [storey(0, landing), storey(1, ground)])).toMatchObject({ floor: 400 });
  });

  it('is found by the walls where no storey holds them', () => {
    expect(chooseLevel(all, [])).toMatchObject({ floor: 400 });
    expect(chooseLevel(all, [storey(0)])).toMatchObject({ floor: 400 });
  });

  it('is cut in proportion where walls are too low or too high for a person', () => {
    expect([0.01, 1_000].map((height) => chooseLevel(walls(1, 0, height), [])?.cut)).toEqual([expect.closeTo(0.004), expect.closeTo(400)]);
    expect(chooseLevel(walls(1, 0, 2), [])?.cut).toBe(1);
  });

  it('is made of proxies where they stand like walls, not where they are one body or two piers', () => {
    const asProxies = (elements: readonly SceneElement[]) => elements.map((one): SceneElement => ({ ...one, role: 'proxy' }));
    const slab = element(9, 'proxy', block([0, 0, -0.3], [10, 6, 0]));
    expect(chooseLevel([...asProxies(walls(1, 0)), slab], [])).toEqual({ floor: 0, cut: 1.2, cutsProxies: true });
    expect(chooseLevel([element(1, 'proxy', block([0, 0, 0], [10, 6, 8]))], [])).toBeUndefined();
    const piers = [2, 8].map((x) => element(x, 'proxy', block([x, 2, 0], [x + 0.5, 4, 8])));
    expect(chooseLevel([...piers, element(1, 'proxy', block([0, 0, 8], [12, 6, 9]))], [])).toBeUndefined();
  });

  it('may be of glass alone, and is nowhere where nothing stands', () => {
    expect(chooseLevel(windows(1, 0), [])).toBeDefined();
    expect(chooseLevel([element(1, 'slab', block([0, 0, 0], [9, 9, 0.3]))], [storey(0)])).toBeUndefined();
  });
});

describe('the place in the picture', () => {
  const rectangle = (width: number, depth: number, turn: number) => {
    const at = (x: number, y: number) => ({ x: x * Math.cos(turn) - y * Math.sin(turn), y: x * Math.sin(turn) + y * Math.cos(turn) });
    return [at(0, 0), at(width, 0), at(width, depth), at(0, depth)];
  };
  const sides = (ring: readonly { x: number; y: number }[]): Side[] => ring.map((from, at) => ({ from, to: ring[(at + 1) % ring.length] as typeof from }));
  const placed = (width: number, depth: number, degrees = 0) => {
    const ring = rectangle(width, depth, (degrees * Math.PI) / 180);
    return ring.map(fit(ring, sides(ring)).place).map(({ x, y }) => [Math.round(x), Math.round(y)]);
  };

  it('keeps north up where that fits', () => {
    expect(placed(12, 9)).toEqual([[32, 456], [608, 456], [608, 24], [32, 24]]);
  });

  it('lays the longer side across', () => {
    const xs = placed(5, 20).map(([x]) => x as number);
    expect(Math.max(...xs) - Math.min(...xs)).toBe(592);
  });

  it.each([7, -20, 44, 60, 135])('sets walls straight that are turned by %d°', (degrees) => {
    const points = placed(20, 8, degrees);
    expect(new Set(points.map(([x]) => x)).size).toBe(2);
    expect(new Set(points.map(([, y]) => y)).size).toBe(2);
  });

  it('leaves walls that agree on no direction as they are', () => {
    const round = Array.from({ length: 36 }, (_, at) => ({ x: Math.cos((at / 36) * 2 * Math.PI), y: Math.sin((at / 36) * 2 * Math.PI) }));
    const [east] = round.map(fit(round, sides(round)).place);
    expect(east).toEqual({ x: expect.closeTo(320 + 216, 3), y: expect.closeTo(240, 3) });
  });

  it('holds a point', () => {
    expect(fit([{ x: 5, y: 5 }], []).place({ x: 5, y: 5 })).toEqual({ x: 320, y: 240 });
  });
});
