import {
  IFCBUILDING, IFCPROJECT, IFCRELAGGREGATES, IFCRELCONNECTSPORTTOELEMENT, IFCRELCONTAINEDINSPATIALSTRUCTURE, IFCRELFILLSELEMENT,
  IFCRELNESTS, IFCRELPROJECTSELEMENT, IFCRELVOIDSELEMENT, IFCSITE, IFCSPACE, IFCSPATIALELEMENT, IFCSPATIALSTRUCTUREELEMENT,
} from 'web-ifc';
import { type IfcFile, type IfcLine, numberOf, ref, refs } from './ifc-file';

/** Relations by which an element belongs to another: type, attribute of the whole, attribute of the part. */
const HOSTS = [
  [IFCRELAGGREGATES, 'RelatingObject', 'RelatedObjects'],
  [IFCRELNESTS, 'RelatingObject', 'RelatedObjects'],
  [IFCRELVOIDSELEMENT, 'RelatingBuildingElement', 'RelatedOpeningElement'],
  [IFCRELPROJECTSELEMENT, 'RelatingElement', 'RelatedFeatureElement'],
  [IFCRELFILLSELEMENT, 'RelatingOpeningElement', 'RelatedBuildingElement'],
  [IFCRELCONNECTSPORTTOELEMENT, 'RelatedElement', 'RelatingPort'],
] as const;

/** Which container an object belongs to (the rule stands at IfcElement.containerKey), and what the containers are. */
export class SpatialStructure {
  /** Their numbers, parents before children. */
  readonly containers: readonly number[];
  private readonly isContainer: ReadonlySet<number>;
  private readonly above = new Map<number, number>();

  constructor(private readonly file: IfcFile) {
    this.isContainer = new Set([IFCPROJECT, IFCSPATIALELEMENT, IFCSPATIALSTRUCTUREELEMENT].flatMap((type) => file.ids(type)));
    this.relate(IFCRELCONTAINEDINSPATIALSTRUCTURE, 'RelatingStructure', 'RelatedElements');
    HOSTS.forEach(([type, whole, part]) => this.relate(type, whole, part));
    const depths = new Map([...this.isContainer].map((id) => [id, this.depth(id)]));
    const depthOf = (id: number) => depths.get(id) ?? 0;
    this.containers = [...this.isContainer].sort((a, b) => depthOf(a) - depthOf(b) || a - b);
  }

  /** A file may hold a circle of parts: nothing is asked twice. */
  containerOf(key: number): number | undefined {
    const seen = new Set([key]);
    let at = this.above.get(key);
    while (at !== undefined && !this.isContainer.has(at) && !seen.has(at)) {
      seen.add(at);
      at = this.above.get(at);
    }
    return at !== undefined && at !== key && this.isContainer.has(at) ? at : undefined;
  }

  private depth(key: number): number {
    const seen = new Set<number>();
    for (let at: number | undefined = key; at !== undefined && !seen.has(at); at = this.containerOf(at)) seen.add(at);
    return seen.size;
  }

  /** The first relation that places an object stands. */
  private relate(type: number, whole: string, part: string): void {
    for (const relation of this.file.lines(type)) {
      const target = ref(relation, whole);
      for (const object of refs(relation, part)) {
        if (target !== undefined && !this.above.has(object)) this.above.set(object, target);
      }
    }
  }
}

export function elevationOf(line: IfcLine): number | undefined {
  if (line.type === IFCSITE) return numberOf(line, 'RefElevation');
  if (line.type === IFCBUILDING) return numberOf(line, 'ElevationOfRefHeight');
  return numberOf(line, line.type === IFCSPACE ? 'ElevationWithFlooring' : 'Elevation');
}
