import type { Geometry } from './sample-geometry';
import { constant, NONE, real, type Ref, type StepWriter, text } from './step-writer';

/** Metres between two points of the ground. */
const GRID = 0.5;

/** The ground around the building as a surface of triangles over `side` times `side` points: most of what makes real models large is one such shape after another. */
export function writeTerrain(step: StepWriter, geometry: Geometry, sitePlace: Ref, side: number): Ref {
  const steps = Array.from({ length: side }, (_, index) => index);
  const points = steps.flatMap((row) => steps.map((column) => [real(column * GRID), real(-1 - row * GRID), real(Math.sin(column / 7) * Math.cos(row / 5))]));
  const corner = (row: number, column: number) => String(row * side + column + 1);
  const triangles = steps.slice(1).flatMap((row) => steps.slice(1).flatMap((column) => [
    [corner(row - 1, column - 1), corner(row, column - 1), corner(row, column)],
    [corner(row - 1, column - 1), corner(row, column), corner(row - 1, column)],
  ]));
  const surface = step.add('IFCTRIANGULATEDFACESET', step.add('IFCCARTESIANPOINTLIST3D', points), NONE, constant('F'), triangles, NONE);
  const place = geometry.placement(sitePlace, [0, 0, 0]);
  return step.add('IFCGEOGRAPHICELEMENT', step.guid('terrain'), NONE, text('Terrain'), NONE, NONE, place, geometry.surface(surface), NONE, constant('TERRAIN'));
}
