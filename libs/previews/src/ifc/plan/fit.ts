import { PICTURE } from '../../picture';
import type { Point } from '../scene';

const PADDING = 24;
/** Turned by a quarter only where the drawing gains that much. */
const WORTH_TURNING = 1.15;
/** Share of the walls' length that must agree on a direction before the drawing is set straight by it. */
const AGREED = 0.4;

/** Places points of the ground in the picture. */
export interface Fit {
  /** Pixels per metre. */
  readonly scale: number;
  readonly place: (point: Point) => Point;
}

export interface Side {
  readonly from: Point;
  readonly to: Point;
}

/**
 * Walls run along the edges of the picture, the longer side of the building lies across, and within that the model's north is
 * as far up as can be.
 */
export function fit(outline: readonly Point[], sides: readonly Side[]): Fit {
  const straight = -wallDirection(sides);
  const turned = straight <= 0 ? straight + Math.PI / 2 : straight - Math.PI / 2;
  const angle = scaleAt(outline, turned) > scaleAt(outline, straight) * WORTH_TURNING ? turned : straight;
  const { minX, minY, maxX, maxY } = boundsAt(outline, angle);
  const scale = scaleAt(outline, angle);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [middleX, middleY] = [(minX + maxX) / 2, (minY + maxY) / 2];
  const place = ({ x, y }: Point) => ({
    x: PICTURE.width / 2 + (x * cos - y * sin - middleX) * scale,
    y: PICTURE.height / 2 - (x * sin + y * cos - middleY) * scale,
  });
  return { scale, place };
}

/**
 * Angle of most walls to the x axis, within 45° either way, by the mean of the doubled-doubled angles: walls that cross at
 * right angles agree.
 */
function wallDirection(sides: readonly Side[]): number {
  let [x, y, total] = [0, 0, 0];
  for (const { from, to } of sides) {
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const fourfold = 4 * Math.atan2(to.y - from.y, to.x - from.x);
    x += length * Math.cos(fourfold);
    y += length * Math.sin(fourfold);
    total += length;
  }
  if (Math.hypot(x, y) < AGREED * total) return 0;
  // A building at 45° may be set straight either way: what rounding leaves must not choose.
  const angle = Math.atan2(y, x) / 4;
  return angle < -Math.PI / 4 + 1e-4 ? angle + Math.PI / 2 : angle;
}

function scaleAt(outline: readonly Point[], angle: number): number {
  const { minX, minY, maxX, maxY } = boundsAt(outline, angle);
  const scale = Math.min((PICTURE.width - 2 * PADDING) / (maxX - minX), (PICTURE.height - 2 * PADDING) / (maxY - minY));
  return Number.isFinite(scale) ? scale : 1;
}

function boundsAt(outline: readonly Point[], angle: number) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const bounds = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };
  for (const { x, y } of outline) {
    const [across, up] = [x * cos - y * sin, x * sin + y * cos];
    bounds.minX = Math.min(bounds.minX, across);
    bounds.minY = Math.min(bounds.minY, up);
    bounds.maxX = Math.max(bounds.maxX, across);
    bounds.maxY = Math.max(bounds.maxY, up);
  }
  return bounds;
}
