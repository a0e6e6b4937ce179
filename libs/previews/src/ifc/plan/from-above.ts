import { fit } from './fit';
import { PlanSvg } from './plan-svg';
import { regionOf } from '../geometry/region';
import type { SceneElement } from '../scene';
import { silhouetteOf } from '../geometry/section';
import { contoursOf, linesOf, sidesOf } from './shapes';

/** All elements as a bird sees them, the lower ones first; `undefined` where there are none. */
export function drawFromAbove(elements: readonly SceneElement[]): string | undefined {
  const solid = elements.filter(({ role }) => role !== 'space');
  const shown = solid.length > 0 ? solid : elements;
  const region = regionOf(shown);
  if (region === undefined) return undefined;
  const sorted = shown.filter(region.touches).sort((a, b) => a.box.maxZ - b.box.maxZ || a.id - b.id);
  const contours = sorted.map((element) => contoursOf(element, region, silhouetteOf));
  const lines = contours.flatMap(linesOf);
  if (lines.length === 0) return undefined;
  const svg = new PlanSvg(fit(lines.flat(), lines.flatMap(sidesOf)));
  contours.forEach((one) => svg.add('roof', one));
  return svg.toString();
}
