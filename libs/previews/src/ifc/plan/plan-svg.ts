import { PICTURE } from '../../picture';
import type { Contours } from '../geometry/contours';
import type { Fit } from './fit';
import type { Point, Swing } from '../scene';

/** From the back to the front. */
export const LAYERS = ['floor', 'room', 'furniture', 'stair', 'glass', 'leaf', 'swing', 'wall', 'roof'] as const;
export type Layer = (typeof LAYERS)[number];

const STYLES: Readonly<Record<Layer, string>> = {
  floor: 'fill="#eceff2" stroke="#b9c0c7" stroke-width="0.8"',
  room: 'fill="#e6edf4"',
  furniture: 'fill="#ffffff" fill-opacity="0.6" stroke="#b3b0a8" stroke-width="0.6"',
  stair: 'fill="#ffffff" fill-opacity="0.7" stroke="#8e8a83" stroke-width="0.7"',
  glass: 'fill="#ffffff" stroke="#5d6b78" stroke-width="0.7"',
  leaf: 'fill="#ffffff" stroke="#77736c" stroke-width="0.6"',
  swing: 'fill="none" stroke="#77736c" stroke-width="0.9"',
  wall: 'fill="#2e2f33" stroke="#2e2f33" stroke-width="0.5"',
  roof: 'fill="#eef0f2" stroke="#4a4d52" stroke-width="0.7"',
};
/** Between elements of these no line is seen. */
const MERGED: readonly Layer[] = ['wall', 'room'];
/** In pixels: what is smaller is not seen. */
const FLAT = 0.08;
const SPECK = 0.4;
const MAX_POINTS = 120_000;

/** The drawing, made of one path for each element in each layer. */
export class PlanSvg {
  private readonly layers = new Map<Layer, string[]>(LAYERS.map((layer) => [layer, []]));
  private points = 0;

  constructor(private readonly fit: Fit) {}

  add(layer: Layer, { rings, strays }: Contours): void {
    const closed = rings.map((ring) => fromFirst(ring.map(this.fit.place))).map((ring) => simplify(ring, ring[0])).filter((ring) => ring.length > 2 && spread(ring) > SPECK);
    const open = strays.map((stray) => simplify(stray.map(this.fit.place))).filter((stray) => stray.length > 1 && spread(stray) > SPECK);
    const data = [...closed.map((ring) => `${path(ring)}z`), ...open.map(path)].join('');
    this.points += [...closed, ...open].reduce((sum, line) => sum + line.length, 0);
    if (data !== '' && this.points <= MAX_POINTS) this.layers.get(layer)?.push(data);
  }

  addSwing(swing: Swing): void {
    const arcs = swing.map(({ hinge, shut, open }) => {
      const [from, free, end] = [this.fit.place(hinge), this.fit.place(shut), this.fit.place(open)];
      const radius = number(Math.hypot(free.x - from.x, free.y - from.y));
      const clockwise = (free.x - from.x) * (end.y - from.y) - (free.y - from.y) * (end.x - from.x) > 0;
      return `M${pair(from)}L${pair(end)}A${radius} ${radius} 0 0 ${clockwise ? 0 : 1} ${pair(free)}`;
    });
    if (arcs.length > 0) this.layers.get('swing')?.push(arcs.join(''));
  }

  toString(): string {
    const { width, height } = PICTURE;
    const groups = [...this.layers].filter(([, paths]) => paths.length > 0).map(([layer, paths]) => group(layer, paths));
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
      `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
      ...groups,
      '</svg>',
      '',
    ].join('\n');
  }
}

/** One path where elements grow together, else one each. */
function group(layer: Layer, paths: readonly string[]): string {
  const drawn = MERGED.includes(layer) ? [paths.join('')] : paths;
  return [`<g class="${layer}" ${STYLES[layer]} stroke-linejoin="round">`, ...drawn.map((data) => `<path d="${data}"/>`), '</g>'].join('\n');
}

const path = (line: readonly Point[]) => `M${line.map(pair).join('L')}`;
const pair = ({ x, y }: Point) => `${number(x)} ${number(y)}`;
/** Two decimals at most, and never `-0`. */
const number = (value: number) => String(Math.round(value * 100) / 100 || 0);

function spread(line: readonly Point[]): number {
  const [{ x, y }] = line as [Point];
  return line.reduce((most, point) => Math.max(most, Math.abs(point.x - x), Math.abs(point.y - y)), 0);
}

/** Begins a ring at its leftmost point, which is a corner, wherever the model began it. */
function fromFirst(ring: readonly Point[]): Point[] {
  const first = ring.reduce((best, { x, y }, at) => {
    const least = ring[best] as Point;
    return x < least.x - FLAT || (x < least.x + FLAT && y < least.y - FLAT) ? at : best;
  }, 0);
  return [...ring.slice(first), ...ring.slice(0, first)];
}

/** Leaves out points that lie on the line between the last one kept and the next one; `after` the last comes the first of a ring. */
function simplify(line: readonly Point[], after?: Point): Point[] {
  const kept: Point[] = [];
  line.forEach((point, at) => {
    const last = kept.at(-1);
    const next = line[at + 1] ?? after;
    if (last === undefined || next === undefined || offLine(point, last, next) > FLAT) kept.push(point);
  });
  return kept;
}

function offLine(point: Point, from: Point, to: Point): number {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < FLAT) return Math.hypot(point.x - from.x, point.y - from.y);
  return Math.abs((to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)) / length;
}
