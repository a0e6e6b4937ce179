import { IFCBUILDINGSTOREY, IFCDOORSTYLE, IFCDOORTYPE, IFCPRODUCT, IFCRELCONTAINEDINSPATIALSTRUCTURE, IFCRELDEFINESBYTYPE } from 'web-ifc';
import { swingOf } from './door-swing';
import { INVISIBLE, ROLES } from './element-roles';
import { type IfcGeometry, ParserCrash, refOf, refsOf, valueOf } from './ifc-geometry';
import { boxOf, type Role, type SceneElement, type Solid, type Storey } from '../scene';

/** Sum over all elements; a storey of a large hospital has a tenth of it. */
const MAX_TRIANGLES = 2_000_000;

export interface ReadingBounds {
  /** Whether the time for reading is used up: what has been read by then is drawn. */
  readonly isOver: () => boolean;
  /** Elements that the parser crashed at before. */
  readonly without: ReadonlySet<number>;
}

/** Reads elements until the model ends or a bound is met; the rest is left out of the picture. */
export class SceneReader {
  private readonly seen: Set<number>;
  private readonly operations: ReadonlyMap<number, string>;
  private triangles = 0;
  private failures = 0;

  constructor(private readonly file: IfcGeometry, private readonly bounds: ReadingBounds) {
    this.seen = new Set(bounds.without);
    this.operations = doorOperations(file);
  }

  /** Whether there are elements that could not be read, or may be. */
  get hasFailed(): boolean {
    return this.failures > 0 || this.bounds.without.size > 0 || !this.file.isWhole;
  }

  storeys(): Storey[] {
    const members = new Map<number, number[]>();
    for (const id of this.file.ids(IFCRELCONTAINEDINSPATIALSTRUCTURE)) {
      const relation = this.file.entity(id);
      const storey = refOf(relation?.['RelatingStructure']);
      if (storey !== undefined) members.set(storey, [...(members.get(storey) ?? []), ...refsOf(relation?.['RelatedElements'])]);
    }
    return this.file.ids(IFCBUILDINGSTOREY).map((id) => {
      const elevation = valueOf(this.file.entity(id)?.['Elevation']);
      return { elevation: typeof elevation === 'number' && Number.isFinite(elevation) ? elevation : 0, members: new Set(members.get(id)) };
    });
  }

  /** What a plan is drawn of. */
  parts(): SceneElement[] {
    return ROLES.flatMap(([role, types]) => types.flatMap((type) => this.elements(role, this.file.ids(type))));
  }

  /** All else that can be seen. */
  others(): SceneElement[] {
    INVISIBLE.flatMap((type) => this.file.ids(type)).forEach((id) => this.seen.add(id));
    return this.elements('other', this.file.ids(IFCPRODUCT));
  }

  private elements(role: Role, ids: readonly number[]): SceneElement[] {
    return ids.flatMap((id) => {
      if (this.seen.has(id) || this.triangles > MAX_TRIANGLES || this.bounds.isOver()) return [];
      this.seen.add(id);
      return this.element(role, id) ?? [];
    });
  }

  private element(role: Role, id: number): SceneElement | undefined {
    const solids = this.solids(id);
    const box = boxOf(solids);
    this.triangles += solids.reduce((sum, { indices }) => sum + indices.length / 3, 0);
    if (box === undefined) return undefined;
    return { id, role, solids, box, ...(role === 'door' && { swing: this.swing(id, solids) }) };
  }

  /** None of an element that the parser does not understand. */
  private solids(id: number): Solid[] {
    try {
      return this.file.solids(id);
    } catch (error) {
      if (error instanceof ParserCrash) throw error;
      this.failures++;
      return [];
    }
  }

  private swing(id: number, solids: readonly Solid[]) {
    const door = this.file.entity(id);
    const own = valueOf(door?.['OperationType']);
    const operation = typeof own === 'string' ? own : this.operations.get(id);
    const placement = door && this.file.placement(door);
    return operation === undefined || placement === undefined ? [] : swingOf(solids, placement, operation);
  }
}

/** How doors open, where their type says it. */
function doorOperations(file: IfcGeometry): Map<number, string> {
  const types = new Set([IFCDOORSTYLE, IFCDOORTYPE].flatMap((type) => file.ids(type)));
  const operations = new Map<number, string>();
  for (const id of types.size === 0 ? [] : file.ids(IFCRELDEFINESBYTYPE)) {
    const relation = file.entity(id);
    const type = refOf(relation?.['RelatingType']);
    const operation = type !== undefined && types.has(type) ? valueOf(file.entity(type)?.['OperationType']) : undefined;
    if (typeof operation === 'string') refsOf(relation?.['RelatedObjects']).forEach((door) => operations.set(door, operation));
  }
  return operations;
}
