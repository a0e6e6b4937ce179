import type { Box, Point, SceneElement } from '../scene';

/** So many times the usual distance from the middle: what lies beyond was left lying about, not built. */
const FAR = 40;
/** Of the diagonal: far below what is seen, far above what rounding does. */
const GRAIN = 1e-6;

/** Where on the ground the drawing is. */
export class Region {
  constructor(private readonly box: Pick<Box, 'minX' | 'minY' | 'maxX' | 'maxY'>) {}

  get middle(): Point {
    return { x: (this.box.minX + this.box.maxX) / 2, y: (this.box.minY + this.box.maxY) / 2 };
  }

  get width(): number {
    return this.box.maxX - this.box.minX;
  }

  get depth(): number {
    return this.box.maxY - this.box.minY;
  }

  /** Step of the grid on which lines meet, in metres. */
  get grain(): number {
    return (Math.hypot(this.width, this.depth) || 1) * GRAIN;
  }

  /** By a share of its sides, each way. */
  grown(share: number): Region {
    const { minX, minY, maxX, maxY } = this.box;
    const [width, depth] = [this.width * share, this.depth * share];
    return new Region({ minX: minX - width, minY: minY - depth, maxX: maxX + width, maxY: maxY + depth });
  }

  /** The nearest point of the region. */
  readonly clamp = ({ x, y }: Point): Point => ({
    x: Math.min(Math.max(x, this.box.minX), this.box.maxX),
    y: Math.min(Math.max(y, this.box.minY), this.box.maxY),
  });

  readonly touches = ({ box }: SceneElement): boolean =>
    box.minX <= this.box.maxX && box.maxX >= this.box.minX && box.minY <= this.box.maxY && box.maxY >= this.box.minY;
}

/** Holds the elements without those far away from all others; `undefined` where there are none. */
export function regionOf(elements: readonly SceneElement[]): Region | undefined {
  if (elements.length === 0) return undefined;
  const middle = { x: median(elements.map(({ box }) => (box.minX + box.maxX) / 2)), y: median(elements.map(({ box }) => (box.minY + box.maxY) / 2)) };
  const reach = ({ box }: SceneElement) => Math.max(middle.x - box.minX, box.maxX - middle.x, middle.y - box.minY, box.maxY - middle.y);
  const usual = median(elements.map(reach));
  const near = elements.filter((element) => reach(element) <= usual * FAR);
  const bounds = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };
  for (const { box } of near) {
    bounds.minX = Math.min(bounds.minX, box.minX);
    bounds.minY = Math.min(bounds.minY, box.minY);
    bounds.maxX = Math.max(bounds.maxX, box.maxX);
    bounds.maxY = Math.max(bounds.maxY, box.maxY);
  }
  return new Region(bounds);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
