import { sectionArea } from '../geometry/section';
import { type SceneElement, spanOf, type Storey } from '../scene';

/** Where a storey is cut: people look down from here. */
export interface Level {
  readonly floor: number;
  readonly cut: number;
}

interface Candidate extends Level {
  readonly elevation: number;
}

/** Above the floor, in metres: over tables and sills, through doors and windows. */
const EYE = 1.2;
/** A height that walls may have; with others the model is no building, or its unit is wrong, and the cut goes by the walls. */
const WALL_HEIGHT = { least: 1.5, most: 30 };
const RELATIVE_EYE = 0.4;
const MAX_CANDIDATES = 200;
/** A storey is as good as the best if it has such shares of its walls and of its doors and windows. */
const WALLS_ENOUGH = 0.5;
const OPENINGS_ENOUGH = 0.3;

/**
 * The storey that people know their building by: of those with many walls and openings, the one nearest to the building's zero,
 * where its entrance is. `undefined` when nothing stands upright.
 */
export function chooseLevel(elements: readonly SceneElement[], storeys: readonly Storey[]): Level | undefined {
  const walls = elements.filter(({ role }) => role === 'wall');
  const uprights = walls.length > 0 ? walls : elements.filter(({ role }) => role === 'window');
  const openings = elements.filter(({ role }) => role === 'window' || role === 'door');
  const rated = candidates(uprights, storeys).map((level) => ({
    level,
    walls: uprights.filter(crosses(level.cut)).reduce((sum, { solids }) => sum + solids.reduce((area, solid) => area + sectionArea(solid, level.cut), 0), 0),
    openings: openings.filter(crosses(level.cut)).length,
  }));
  const most = (of: 'walls' | 'openings') => Math.max(...rated.map((one) => one[of]));
  const good = rated.filter((one) => one.walls > 0 && one.walls >= most('walls') * WALLS_ENOUGH && one.openings >= most('openings') * OPENINGS_ENOUGH);
  const best = good.length > 0 ? good : rated.filter((one) => one.walls > 0);
  return best.map(({ level }) => level).sort((a, b) => Math.abs(a.elevation) - Math.abs(b.elevation) || a.floor - b.floor)[0];
}

export const crosses = (height: number) => ({ box }: SceneElement) => box.minZ < height && box.maxZ > height;

/** By the storeys of the file, or, where they hold no walls, by the heights at which walls begin. */
function candidates(uprights: readonly SceneElement[], storeys: readonly Storey[]): Candidate[] {
  const named = storeys.slice(0, MAX_CANDIDATES).flatMap(({ elevation, members }) => {
    const own = uprights.filter(({ id }) => members.has(id));
    return own.length === 0 ? [] : [{ ...levelOf(own), elevation }];
  });
  if (named.length > 0 || uprights.length === 0) return named;
  const groups = new Map<number, SceneElement[]>();
  for (const element of uprights) {
    const bottom = Math.round(element.box.minZ);
    groups.set(bottom, [...(groups.get(bottom) ?? []), element]);
  }
  return [...groups.values()].slice(0, MAX_CANDIDATES).map((group) => ({ ...levelOf(group), elevation: 0 }));
}

function levelOf(uprights: readonly SceneElement[]): Level {
  const floor = median(uprights, ({ box }) => box.minZ);
  const height = median(uprights, ({ box }) => box.maxZ - box.minZ);
  const isUsual = height >= WALL_HEIGHT.least && height <= WALL_HEIGHT.most;
  return { floor, cut: floor + (isUsual ? Math.min(EYE, height / 2) : height * RELATIVE_EYE) };
}

/** Long walls count more than short ones. */
function median(elements: readonly SceneElement[], value: (element: SceneElement) => number): number {
  const sorted = elements.map((element) => ({ value: value(element), weight: spanOf(element.box) })).sort((a, b) => a.value - b.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let passed = 0;
  return sorted.find(({ weight }) => (passed += weight) >= half)?.value ?? 0;
}
