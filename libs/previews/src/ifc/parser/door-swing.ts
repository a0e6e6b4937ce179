import type { Point, Solid, Swing } from '../scene';

/** Between the axes of a door and those of the ground. */
const UPRIGHT = 0.99;

/** Which ends of a door its leaves hang at, by the names of IfcDoorTypeOperationEnum; what slides or folds has no arc. */
export function hingesOf(operation: string): readonly ('left' | 'right')[] {
  if (/^DOUBLE_DOOR_(SINGLE|DOUBLE)_SWING/.test(operation)) return ['left', 'right'];
  const side = /^(SINGLE|DOUBLE)_SWING_(LEFT|RIGHT)$/.exec(operation)?.[2];
  if (side === undefined) return [];
  return side === 'LEFT' ? ['left'] : ['right'];
}

/**
 * The leaves of a door, opened. "The panel opens always in the direction of the positive y-axis of the local placement", left
 * is as seen in that direction: hence the end at which x is least (IfcDoorTypeOperationEnum).
 */
export function swingOf(solids: readonly Solid[], placement: readonly number[], operation: string): Swing {
  const hinges = hingesOf(operation);
  const [ux, uy, , , vx, vy, , , , , up] = placement as [number, number, ...number[]];
  if (hinges.length === 0 || Math.abs(up ?? 0) < UPRIGHT || vx === undefined || vy === undefined) return [];
  const along = extent(solids, ux, uy);
  const across = extent(solids, vx, vy);
  const middle = (across.least + across.most) / 2;
  const at = (u: number, v: number): Point => ({ x: u * ux + v * vx, y: u * uy + v * vy });
  const width = (along.most - along.least) / hinges.length;
  return hinges.map((side) => {
    const [from, free] = side === 'left' ? [along.least, along.least + width] : [along.most, along.most - width];
    return { hinge: at(from, middle), shut: at(free, middle), open: at(from, middle + width) };
  });
}

function extent(solids: readonly Solid[], x: number, y: number) {
  let [least, most] = [Infinity, -Infinity];
  for (const { positions } of solids) {
    for (let at = 0; at + 2 < positions.length; at += 3) {
      const value = (positions[at] as number) * x + (positions[at + 1] as number) * y;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  return { least, most };
}
