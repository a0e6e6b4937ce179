import type { Solid } from '../scene';

/** Of a larger body the order of corners is believed. */
const MAX_TRIANGLES = 100_000;
/** Volume of a flat shell, as a share of what it would be if all its cones pointed one way. */
const FLAT = 1e-3;

/**
 * A body whose triangles all show their outer side counter-clockwise. Of bodies that are given face by face the parser's do not:
 * neighbours must run along their common side in opposite directions, and the whole must hold a volume.
 */
export function outwards(solid: Solid): Solid {
  const count = Math.floor(solid.indices.length / 3);
  if (count === 0 || count > MAX_TRIANGLES) return solid;
  const corners = welded(solid, count * 3);
  const besides = neighbours(corners);
  const turned = { positions: solid.positions, indices: solid.indices.slice(0, count * 3) };
  const seen = new Uint8Array(count);
  for (let start = 0; start < count; start++) {
    if (seen[start] === 0) turnShell(turned, agree({ corners, besides, seen, start }));
  }
  const all = Array.from({ length: count }, (_, triangle) => triangle);
  if (measure(turned, all).volume < 0) all.forEach((triangle) => swap(turned.indices, triangle));
  return turned;
}

/** Corners by number, the same for all that lie in one place. */
function welded({ positions, indices }: Solid, length: number): Uint32Array {
  const numbers = new Map<string, number>();
  return indices.subarray(0, length).map((index) => {
    const place = `${positions[index * 3]},${positions[index * 3 + 1]},${positions[index * 3 + 2]}`;
    const number = numbers.get(place) ?? numbers.size;
    numbers.set(place, number);
    return number;
  });
}

const sideKey = (a: number, b: number) => (a < b ? a * 2 ** 26 + b : b * 2 ** 26 + a);
const next = (corner: number) => (corner % 3 === 2 ? corner - 2 : corner + 1);

/** For each side (named by the corner that it leaves) that of the one triangle beyond it; -1 at an edge of the body. */
function neighbours(corners: Uint32Array): Int32Array {
  const besides = new Int32Array(corners.length).fill(-1);
  const waiting = new Map<number, number>();
  for (let side = 0; side < corners.length; side++) {
    const key = sideKey(corners[side] as number, corners[next(side)] as number);
    const other = waiting.get(key);
    if (other === undefined) {
      waiting.set(key, side);
      continue;
    }
    besides[side] = other;
    besides[other] = side;
    waiting.delete(key);
  }
  return besides;
}

interface Walk {
  readonly corners: Uint32Array;
  readonly besides: Int32Array;
  readonly seen: Uint8Array;
  readonly start: number;
}

interface Placed {
  readonly triangle: number;
  /** Against what the file says. */
  readonly turned: boolean;
}

/** All triangles that hang together with the first one, turned so that they agree with it. */
function agree({ corners, besides, seen, start }: Walk): Placed[] {
  const shell: Placed[] = [{ triangle: start, turned: false }];
  seen[start] = 1;
  for (const { triangle, turned } of shell) {
    for (let side = triangle * 3; side < triangle * 3 + 3; side++) {
      const beyond = besides[side] as number;
      const other = Math.floor(beyond / 3);
      if (beyond < 0 || seen[other] === 1) continue;
      seen[other] = 1;
      shell.push({ triangle: other, turned: turned !== (corners[side] === corners[beyond]) });
    }
  }
  return shell;
}

/** Where the file contradicts itself, the shell is turned as its volume says, or, if it is flat, upwards. */
function turnShell(solid: Solid, shell: readonly Placed[]): void {
  if (shell.every(({ turned }) => !turned)) return;
  shell.filter(({ turned }) => turned).forEach(({ triangle }) => swap(solid.indices, triangle));
  const { volume, bulk, up } = measure(solid, shell.map(({ triangle }) => triangle));
  if (Math.abs(volume) > bulk * FLAT ? volume < 0 : up < 0) shell.forEach(({ triangle }) => swap(solid.indices, triangle));
}

/** Signed volume under the triangles as seen from a corner of the first, the same without signs, and the signed area from above. */
function measure({ positions, indices }: Solid, triangles: readonly number[]) {
  const origin = (indices[(triangles[0] ?? 0) * 3] as number) * 3;
  const at = (corner: number, axis: number) => (positions[(indices[corner] as number) * 3 + axis] as number) - (positions[origin + axis] as number);
  let [volume, bulk, up] = [0, 0, 0];
  for (const triangle of triangles) {
    const [a, b, c] = [triangle * 3, triangle * 3 + 1, triangle * 3 + 2];
    const minor = (y: number, z: number) => at(b, y) * at(c, z) - at(b, z) * at(c, y);
    const cone = at(a, 0) * minor(1, 2) + at(a, 1) * minor(2, 0) + at(a, 2) * minor(0, 1);
    volume += cone;
    bulk += Math.abs(cone);
    up += (at(b, 0) - at(a, 0)) * (at(c, 1) - at(a, 1)) - (at(c, 0) - at(a, 0)) * (at(b, 1) - at(a, 1));
  }
  return { volume, bulk, up };
}

function swap(indices: Uint32Array, triangle: number): void {
  const at = triangle * 3;
  const kept = indices[at] as number;
  indices[at] = indices[at + 1] as number;
  indices[at + 1] = kept;
}
