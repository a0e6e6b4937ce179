import { fit } from './fit';
import { crosses, type Level } from './levels';
import { type Layer, PlanSvg } from './plan-svg';
import { type Region, regionOf } from '../geometry/region';
import type { Role, SceneElement } from '../scene';
import { sectionOf, silhouetteOf } from '../geometry/section';
import { contoursOf, linesOf, type Shape, sidesOf } from './shapes';

/** A slab is the floor of a level if its top is so near to it, in metres. */
const FLOOR_REACH = 0.7;
/** What ends so little above the floor came from below. */
const STEP = 0.3;
/** Terraces are shown, the paved square before the house is cut off. */
const AROUND = 0.1;

const CUT: Partial<Record<Role, Layer>> = { wall: 'wall', column: 'wall', window: 'glass', door: 'leaf', space: 'room' };
const SEEN: Partial<Record<Role, Layer>> = { slab: 'floor', stair: 'stair', furniture: 'furniture' };
/** Layers that make up the building: it is fitted and set straight by them. */
const BUILT: readonly Layer[] = ['wall', 'glass', 'leaf'];

/** A storey from above, without what is over the cut; `undefined` where nothing upright is met. */
export function drawLevel(elements: readonly SceneElement[], level: Level): string | undefined {
  const region = regionOf(elements.filter(({ role }) => role in CUT && role !== 'space').filter(crosses(level.cut)));
  if (region === undefined) return undefined;
  const around = region.grown(AROUND);
  const near = elements.filter(around.touches).sort((a, b) => a.box.maxZ - b.box.maxZ || a.id - b.id);
  const shapes = near.flatMap((element) => shapeOf(element, level, region) ?? []);
  const built = shapes.filter(({ layer }) => BUILT.includes(layer)).flatMap(({ contours }) => linesOf(contours));
  if (built.length === 0) return undefined;
  const floors = shapes.filter(({ layer }) => layer === 'floor').flatMap(({ contours }) => linesOf(contours).flat());
  const swings = near.filter(crosses(level.cut)).map(({ swing = [] }) => swing);
  const outline = [...floors, ...swings.flat().map(({ open }) => open)].map(around.clamp);
  const svg = new PlanSvg(fit([...built.flat(), ...outline], built.flatMap(sidesOf)));
  shapes.forEach(({ layer, contours }) => svg.add(layer, contours));
  swings.forEach((swing) => svg.addSwing(swing));
  return svg.toString();
}

function shapeOf(element: SceneElement, level: Level, region: Region): Shape | undefined {
  const cutLayer = CUT[element.role];
  const layer = cutLayer ?? SEEN[element.role];
  if (layer === undefined || !isShown(element, level)) return undefined;
  return { layer, contours: contoursOf(element, region, cutLayer ? (solid, chain) => sectionOf(solid, level.cut, chain) : silhouetteOf) };
}

function isShown(element: SceneElement, { floor, cut }: Level): boolean {
  const { role, box, swing = [] } = element;
  if (role === 'slab') return Math.abs(box.maxZ - floor) < FLOOR_REACH;
  if (role === 'stair') return box.minZ < cut && box.maxZ > floor + STEP;
  if (role === 'furniture') return box.minZ < cut && box.minZ > floor - STEP && box.maxZ > floor;
  return swing.length === 0 && crosses(cut)(element);
}
