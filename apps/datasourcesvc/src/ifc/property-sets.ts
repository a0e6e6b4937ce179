import { invalid } from '@twinyard/conventions';
import {
  IFCCOMPLEXPROPERTY, IFCELEMENTQUANTITY, IFCPHYSICALCOMPLEXQUANTITY, IFCPROPERTYSET, IFCRELDEFINESBYPROPERTIES,
} from 'web-ifc';
import { type IfcFile, type IfcLine, ref, refs, toToken } from './ifc-file';
import type { IfcProperty } from './ifc-model';
import { readUnits } from './ifc-units';
import { toScalar } from './ifc-values';
import type { NamedProperty } from './property-key';
import { type PropertyValue, readValue } from './property-values';

const MAX_NESTING = 16;
/** Complex properties can share their parts: a small file could unfold into any number of them. */
const MAX_PROPERTIES = 10_000;
const ROOT_ATTRIBUTES = new Set(['expressID', 'type', 'GlobalId', 'OwnerHistory', 'Name', 'Description']);

/** Reads each property set of the file once, however many objects share it. */
export class PropertySets {
  private readonly units;
  private readonly read = new Map<number, readonly NamedProperty[]>();

  constructor(private readonly file: IfcFile) {
    this.units = readUnits(file);
  }

  /** The sets of each object, in the file's order and each once, through IfcRelDefinesByProperties. */
  byObject(): ReadonlyMap<number, ReadonlySet<number>> {
    const sets = new Map<number, Set<number>>();
    for (const relation of this.file.lines(IFCRELDEFINESBYPROPERTIES)) {
      const defined = definitions(relation);
      for (const object of refs(relation, 'RelatedObjects')) {
        const known = sets.get(object) ?? new Set<number>();
        defined.forEach((set) => known.add(set));
        sets.set(object, known);
      }
    }
    return sets;
  }

  properties(sets: Iterable<number>): NamedProperty[] {
    return [...sets].flatMap((set) => this.ofSet(set));
  }

  private ofSet(id: number): readonly NamedProperty[] {
    const known = this.read.get(id);
    if (known) return known;
    const line = this.file.line(id);
    const found = line ? this.readSet(line) : [];
    this.read.set(id, found);
    return found;
  }

  private readSet(set: IfcLine): NamedProperty[] {
    const name = this.file.text(set, 'Name') ?? this.file.className(set.type);
    const place: Place = { set: name, path: [], budget: { left: MAX_PROPERTIES } };
    if (set.type === IFCPROPERTYSET) return this.readMembers(set, 'HasProperties', place);
    if (set.type === IFCELEMENTQUANTITY) return this.readMembers(set, 'Quantities', place);
    return this.readAttributes(set, name);
  }

  private readMembers(owner: IfcLine, attribute: string, place: Place): NamedProperty[] {
    return refs(owner, attribute).flatMap((id) => {
      const line = this.file.line(id);
      return line ? this.readMember(line, place) : [];
    });
  }

  /** A complex property stands for its parts: each is an entry of its own, so that all are asked for in the same way. */
  private readMember(line: IfcLine, { set, path, budget }: Place): NamedProperty[] {
    if (budget.left-- === 0) throw invalid(`A property set of the IFC file has more than ${MAX_PROPERTIES} properties: ${set}`);
    const dName = this.file.text(line, 'Name') ?? '';
    const names = [...path, dName];
    const parts = partsOf(line);
    if (parts === undefined) {
      return [{ name: names.join('/'), property: this.toProperty(readValue(this.file, line), { dName, psDispName: set }, unitOf(line)) }];
    }
    return path.length >= MAX_NESTING ? [] : this.readMembers(line, parts, { set, path: names, budget });
  }

  /** A predefined set (IfcDoorLiningProperties…) has no members: its attributes are the properties. */
  private readAttributes(set: IfcLine, psDispName: string): NamedProperty[] {
    return Object.keys(set)
      .filter((name) => !ROOT_ATTRIBUTES.has(name) && isPlainValue(set[name]))
      .map((name) => ({ name, property: this.toProperty(toScalar(this.file, set[name]), { dName: name, psDispName }) }));
  }

  private toProperty(value: PropertyValue, names: Pick<IfcProperty, 'dName' | 'psDispName'>, ownUnit?: number): IfcProperty {
    const uom = (ownUnit === undefined ? undefined : this.units.ofEntity(ownUnit)) ?? (value.measure && this.units.ofMeasure(value.measure));
    return { val: value.val, ...names, ...(uom && { uom }), type: value.type };
  }
}

interface Place {
  readonly set: string;
  /** Names of the complex properties around. */
  readonly path: readonly string[];
  /** How many more properties the set may have. */
  readonly budget: { left: number };
}

/** IFC4 also takes a whole set of definitions in one relation. */
function definitions(relation: IfcLine): number[] {
  const value = toToken(relation['RelatingPropertyDefinition'])?.value;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((item) => toToken(item)?.value ?? item).filter((id): id is number => typeof id === 'number');
}

function partsOf(line: IfcLine): string | undefined {
  if (line.type === IFCCOMPLEXPROPERTY) return 'HasProperties';
  return line.type === IFCPHYSICALCOMPLEXQUANTITY ? 'HasQuantities' : undefined;
}

const unitOf = (line: IfcLine) => ref(line, 'Unit') ?? ref(line, 'DefinedUnit');
const isPlainValue = (value: unknown) => value !== null && value !== undefined && !Array.isArray(value) && !(toToken(value)?.type === 5);
