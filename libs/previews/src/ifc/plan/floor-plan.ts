import { fit } from './fit';
import type { EdgeChain } from '../geometry/contours';
import { crosses, type Level } from './levels';
import { type Layer, PlanSvg } from './plan-svg';
import { type Region, regionOf } from '../geometry/region';
import type { SceneElement, Solid } from '../scene';
import { sectionOf, silhouetteOf } from '../geometry/section';
import { contoursOf, linesOf, type Shape, sidesOf } from './shapes';

/** A slab is the floor of a level if its top is so near to it, in metres. */
const FLOOR_REACH = 0.7;
/** What ends so little above the floor came from below. */
const STEP = 0.3;
/** Terraces are shown, the paved square before the house is cut off. */
const AROUND = 0.1;

/** Layers that make up the building: it is fitted and set straight by them. */
const BUILT: readonly Layer[] = ['wall', 'glass', 'leaf'];
const CUT: readonly Layer[] = [...BUILT, 'room'];

/** A storey from above, without what is over the cut; `undefined` where nothing upright is met. */
export function drawLevel(elements: readonly SceneElement[], level: Level): string | undefined {
  const region = regionOf(elements.filter((element) => BUILT.includes(layerOf(element, level) ?? 'room')));
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
  const layer = layerOf(element, level);
  if (layer === undefined) return undefined;
  const trace = CUT.includes(layer) ? (solid: Solid, chain: EdgeChain) => sectionOf(solid, level.cut, chain) : silhouetteOf;
  return { layer, contours: contoursOf(element, region, trace) };
}

/** `undefined` for what the level does not show. */
function layerOf(element: SceneElement, level: Level): Layer | undefined {
  const isCut = crosses(level.cut)(element);
  const when = (isShown: boolean, layer: Layer) => (isShown ? layer : undefined);
  switch (element.role) {
    case 'wall':
    case 'column':
      return when(isCut, 'wall');
    case 'window':
      return when(isCut, 'glass');
    case 'door':
      return when(isCut && !element.swing?.length, 'leaf');
    case 'space':
      return when(isCut, 'room');
    case 'slab':
      return when(isFloor(element, level), 'floor');
    case 'stair':
      return when(element.box.minZ < level.cut && element.box.maxZ > level.floor + STEP, 'stair');
    case 'furniture':
      return when(stands(element, level), 'furniture');
    case 'proxy':
      return level.cutsProxies === true ? proxyLayer(element, level) : when(stands(element, level) && !isCut, 'furniture');
    case 'other':
      return undefined;
  }
}

function proxyLayer(element: SceneElement, level: Level): Layer | undefined {
  if (crosses(level.cut)(element)) return 'wall';
  return isFloor(element, level) ? 'floor' : undefined;
}

const isFloor = ({ box }: SceneElement, { floor }: Level) => Math.abs(box.maxZ - floor) < FLOOR_REACH;
const stands = ({ box }: SceneElement, { floor, cut }: Level) => box.minZ > floor - STEP && box.minZ < cut && box.maxZ > floor;
