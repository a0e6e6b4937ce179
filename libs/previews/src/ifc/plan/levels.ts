import { regionOf } from '../geometry/region';
import { sectionArea } from '../geometry/section';
import { type Role, type SceneElement, spanOf, type Storey } from '../scene';

/** Where a storey is cut: people look down from here. */
export interface Level {
  readonly floor: number;
  readonly cut: number;
  /** Whether bodies of no known kind stand for the walls. */
  readonly cutsProxies?: boolean;
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
/** Proxies are walls where their cut fills such shares of the ground, and reaches over so much of it: not a heap, not a pier. */
const WALLS_FILL = { least: 0.02, most: 0.5 };
const WALLS_REACH = 0.6;

/**
 * The storey that people know their building by: of those with many walls and openings, the one nearest to the building's zero,
 * where its entrance is. `undefined` when nothing stands upright.
 */
export function chooseLevel(elements: readonly SceneElement[], storeys: readonly Storey[]): Level | undefined {
  const of = (role: Role) => elements.filter((element) => element.role === role);
  const openings = [...of('window'), ...of('door')];
  if (of('wall').length > 0) return best(of('wall'), openings, storeys);
  const proxies = of('proxy');
  const level = best(proxies, openings, storeys);
  return level && standLikeWalls(proxies, level) ? { ...level, cutsProxies: true } : best(of('window'), openings, storeys);
}

function best(uprights: readonly SceneElement[], openings: readonly SceneElement[], storeys: readonly Storey[]): Level | undefined {
  const rated = candidates(uprights, storeys).map((level) => ({
    level,
    walls: cutArea(uprights, level),
    openings: openings.filter(crosses(level.cut)).length,
  }));
  const most = (of: 'walls' | 'openings') => Math.max(...rated.map((one) => one[of]));
  const good = rated.filter((one) => one.walls > 0 && one.walls >= most('walls') * WALLS_ENOUGH && one.openings >= most('openings') * OPENINGS_ENOUGH);
  const chosen = good.length > 0 ? good : rated.filter((one) => one.walls > 0);
  const [first] = chosen.map(({ level }) => level).sort((a, b) => Math.abs(a.elevation) - Math.abs(b.elevation) || a.floor - b.floor);
  return first && { floor: first.floor, cut: first.cut };
}

const cutArea = (uprights: readonly SceneElement[], { cut }: Level) =>
  uprights.filter(crosses(cut)).reduce((sum, { solids }) => sum + solids.reduce((area, solid) => area + sectionArea(solid, cut), 0), 0);

function standLikeWalls(proxies: readonly SceneElement[], level: Level): boolean {
  const [all, cut] = [regionOf(proxies), regionOf(proxies.filter(crosses(level.cut)))];
  if (all === undefined || cut === undefined) return false;
  const fill = cutArea(proxies, level) / (cut.width * cut.depth);
  return cut.width > all.width * WALLS_REACH && cut.depth > all.depth * WALLS_REACH && fill > WALLS_FILL.least && fill < WALLS_FILL.most;
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
